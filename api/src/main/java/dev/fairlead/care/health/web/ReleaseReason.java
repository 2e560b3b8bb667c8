package dev.fairlead.care.health.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reason of a release from quarantine, which a caller gives in the body, in the query or nowhere.
 */
final class ReleaseReason {
  /** Recorded when the caller gives no reason. */
  static final String NONE = "no reason given";

  private static final int LONGEST = 500;

  private ReleaseReason() {}

  /**
   * @param inQuery already checked, null without one
   * @throws dev.fairlead.kernel.problem.Refusal INVALID_FIELD for a body without a usable reason
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
