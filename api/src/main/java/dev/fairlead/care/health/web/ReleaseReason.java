package dev.fairlead.care.health.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.web.Parameters;
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
   * @throws dev.fairlead.kernel.problem.Refusal INVALID_PARAMETER for a reason of the query that is
   *     empty, too long or given beside a body, INVALID_FIELD for a body without a usable reason
   */
  static String of(@Nullable String inQuery, @Nullable Body body) {
    if (body == null) {
      return inQuery == null ? NONE : checked(inQuery);
    }
    if (inQuery != null) {
      throw Parameters.refused("reason", "must not be given beside a body, which has the reason");
    }
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    Optional<String> reason =
        fields
            .required("reason", "why, for those who read it later.")
            .flatMap(value -> value.text(LONGEST));
    fields.done();
    problems.refuse();
    return reason.orElseThrow();
  }

  private static String checked(String reason) {
    if (reason.isBlank() || reason.length() > LONGEST) {
      throw Parameters.refused("reason", "must have 1 to " + LONGEST + " characters");
    }
    return reason;
  }
}
