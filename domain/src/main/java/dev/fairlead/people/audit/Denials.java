package dev.fairlead.people.audit;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Origin;

/** Takes note of what callers were denied. */
public interface Denials {
  /** In place of a caller's name; none can be named so. */
  String UNKNOWN = "(unauthenticated)";

  /** As an operation: what a request asks for is not looked at before its caller is known. */
  String AUTHENTICATE = "authenticate";

  /**
   * In the audit a second later.
   *
   * @param subject the path of the request
   */
  void note(Actor actor, String operation, String subject, ProblemCode code);

  /**
   * A request was let in by no token. In the audit of the first tenant a second later, as denied to
   * {@link #UNKNOWN}.
   *
   * @param subject the path of the request
   */
  void unknown(Origin origin, String subject, ProblemCode code);
}
