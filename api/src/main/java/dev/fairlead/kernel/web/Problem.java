package dev.fairlead.kernel.web;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An error as callers see it (RFC 9457).
 *
 * @param type page that describes the code
 * @param title the code in words
 * @param status HTTP status
 * @param detail what is wrong, why, and what to do
 * @param instance path of the request
 * @param requestId also in the header X-Request-Id and in the server's log
 * @param errors one entry per field that is wrong
 * @param metadata every number that the text uses
 */
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
   * One field that is wrong.
   *
   * @param pointer JSON pointer (RFC 6901) into the request's body
   * @param suggestion a value or name that would be accepted
   */
  public record Field(
      String pointer, ProblemCode code, String detail, @Nullable String suggestion) {
    static Field of(FieldProblem problem) {
      return new Field(problem.pointer(), problem.code(), problem.detail(), problem.suggestion());
    }
  }

  public static Problem of(Refusal refusal, String instance, String requestId) {
    ProblemCode code = refusal.code();
    return new Problem(
        ReasonPages.of(code),
        title(code),
        code.status(),
        String.valueOf(refusal.getMessage()),
        instance,
        code,
        requestId,
        refusal.problems().stream().map(Field::of).toList(),
        refusal.numbers());
  }

  /** {@code NOT_FOUND} as {@code Not found}. */
  private static String title(ProblemCode code) {
    String words = code.name().replace('_', ' ').toLowerCase(Locale.ROOT);
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }
}
