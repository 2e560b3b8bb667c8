package dev.fairlead.audit;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.tenant.Actor;

/** Takes note of what a known caller was denied. */
public interface Denials {
  /**
   * In the audit a second later.
   *
   * @param subject the path of the request
   */
  void note(Actor actor, String operation, String subject, ProblemCode code);
}
