package dev.fairlead.people.audit;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Origin;

/** Records denied requests. */
public interface Denials {
  /** Replaces a caller's name. No caller can have this name. */
  String UNKNOWN = "(unauthenticated)";

  /**
   * Operation of an unauthenticated request, because the request is not evaluated before its caller
   * is known.
   */
  String AUTHENTICATE = "authenticate";

  /**
   * Records a denial. The denial appears in the audit a second later.
   *
   * @param subject the path of the request
   */
  void note(Actor actor, String operation, String subject, ProblemCode code);

  /**
   * Records a request without a valid token. It appears in the audit of the first tenant a second
   * later, as denied to {@link #UNKNOWN}.
   *
   * @param subject the path of the request
   */
  void unknown(Origin origin, String subject, ProblemCode code);
}
