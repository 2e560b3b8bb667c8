package dev.fairlead.tenant;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;

/**
 * Who may do what. The one place of authorisation: people and roles follow, the calls are here from
 * the start.
 */
public final class Permissions {
  private Permissions() {}

  /**
   * @throws Refusal FORBIDDEN for anybody but an administrator
   */
  public static void administer(Actor actor, String what) {
    if (!actor.administrator()) {
      throw new Refusal(ProblemCode.FORBIDDEN, "Only an administrator may " + what + ".");
    }
  }
}
