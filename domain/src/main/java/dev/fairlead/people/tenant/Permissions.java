package dev.fairlead.people.tenant;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.stream.Collectors;

/** Who may do what, by {@link PermissionMatrix#CURRENT}. The one place of authorisation. */
public final class Permissions {
  private Permissions() {}

  /** The most that the actor's roles allow. */
  public static Grant grant(Actor actor, String operation) {
    return PermissionMatrix.CURRENT.grant(operation, actor.roles());
  }

  /**
   * @throws Refusal FORBIDDEN unless the actor may do it, with the roles that allow it
   */
  public static void require(Actor actor, String operation) {
    if (grant(actor, operation) == Grant.NO) {
      throw refused(actor, operation);
    }
  }

  /** What is answered to an actor that sees the object and may not do this with it. */
  public static Refusal refused(Actor actor, String operation) {
    String needed =
        PermissionMatrix.CURRENT.rolesFor(operation).stream()
            .map(Role::wire)
            .collect(Collectors.joining(", "));
    String held = actor.roles().stream().map(Role::wire).collect(Collectors.joining(", "));
    return new Refusal(
        ProblemCode.FORBIDDEN,
        "%s needs one of the roles %s; %s has %s here. Ask an owner of the tenant or an administrator."
            .formatted(
                operation,
                needed.isEmpty() ? "(none)" : needed,
                actor.name(),
                held.isEmpty() ? "none" : held));
  }

  /** What is answered about another's jobs to an actor that may change its own only. */
  public static Refusal notOwn(Actor actor, String operation, String owner) {
    return new Refusal(
        ProblemCode.FORBIDDEN,
        "%s is allowed to %s for its own jobs only, not for those of %s. Ask %s or an owner of the project."
            .formatted(operation, actor.name(), owner, owner));
  }
}
