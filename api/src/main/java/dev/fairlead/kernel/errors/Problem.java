package dev.fairlead.kernel.errors;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An error as a problem document (RFC 9457).
 *
 * @param type address of the page that explains the code
 * @param title title of the code
 * @param status HTTP status
 * @param detail the error, its cause and the next step
 * @param instance path of the request
 * @param requestId id of the request, also in the header X-Request-Id and in the server's log
 * @param errors one entry for each wrong field
 * @param metadata all numbers of the text
 */
@RecordBuilder
public record Problem(
    String type,
    String title,
    int status,
    String detail,
    String instance,
    ProblemCode code,
    String requestId,
    List<Field> errors,
    Map<String, Object> metadata) {
  public static final String MEDIA_TYPE = "application/problem+json";

  /**
   * A wrong field.
   *
   * @param pointer JSON pointer (RFC 6901) into the request body
   * @param suggestion value or name that would be accepted
   */
  public record Field(
      String pointer, ProblemCode code, String detail, @Nullable String suggestion) {
    static Field of(FieldProblem problem) {
      return new Field(problem.pointer(), problem.code(), problem.detail(), problem.suggestion());
    }
  }

  public static Problem of(Refusal refusal, String instance, String requestId) {
    ProblemCode code = refusal.code();
    return ProblemBuilder.builder()
        .type(ReasonPages.of(code))
        .title(title(code))
        .status(code.status())
        .detail(String.valueOf(refusal.getMessage()))
        .instance(instance)
        .code(code)
        .requestId(requestId)
        .errors(refusal.problems().stream().map(Field::of).toList())
        .metadata(refusal.numbers())
        .build();
  }

  /** Returns {@code NOT_FOUND} as {@code Not found}. */
  private static String title(ProblemCode code) {
    String words = code.name().replace('_', ' ').toLowerCase(Locale.ROOT);
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }
}
