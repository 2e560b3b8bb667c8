package dev.fairlead.care.health.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Optional reason of a release from quarantine, in the body or in the query. */
final class ReleaseReason {
  /** Recorded if the caller sets no reason. */
  static final String NONE = "no reason given";

  private static final int LONGEST = 500;

  private ReleaseReason() {}

  /**
   * @param inQuery already validated, null without a reason
   * @throws dev.fairlead.kernel.problem.Refusal INVALID_FIELD for a body without a valid reason
   */
  static String of(@Nullable String inQuery, @Nullable Body body) {
    if (body == null) {
      return Objects.requireNonNullElse(inQuery, NONE);
    }
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    Optional<String> reason =
        fields
            .required("reason", "the reason, recorded with the action.")
            .flatMap(value -> value.text(LONGEST));
    fields.done();
    problems.refuse();
    return reason.orElseThrow();
  }
}
