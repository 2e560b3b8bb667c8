package dev.fairlead.people.tenant;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.stream.Collectors;

/** Authorises requests by {@link PermissionMatrix#CURRENT}. All checks are made here. */
public final class Permissions {
  private Permissions() {}

  /** Returns the largest grant of the actor's roles. */
  public static Grant grant(Actor actor, String operation) {
    return PermissionMatrix.CURRENT.grant(operation, actor.roles());
  }

  /**
   * @throws Refusal FORBIDDEN unless the actor may call the operation. It names the roles that may
   */
  public static void require(Actor actor, String operation) {
    if (grant(actor, operation) == Grant.NO) {
      throw refused(actor, operation);
    }
  }

  /** Returns the refusal for an actor that sees the object but may not call this operation. */
  public static Refusal refused(Actor actor, String operation) {
    String needed =
        PermissionMatrix.CURRENT.rolesFor(operation).stream()
            .map(Role::wire)
            .collect(Collectors.joining(", "));
    String held = actor.roles().stream().map(Role::wire).collect(Collectors.joining(", "));
    return new Refusal(
        ProblemCode.FORBIDDEN,
        "%s needs one of the roles %s, but %s has %s here. Ask an owner of the tenant or an administrator."
            .formatted(
                operation,
                needed.isEmpty() ? "(none)" : needed,
                actor.name(),
                held.isEmpty() ? "none" : held));
  }

  /** Returns the refusal for an actor that may change only its own jobs. */
  public static Refusal notOwn(Actor actor, String operation, String owner) {
    return new Refusal(
        ProblemCode.FORBIDDEN,
        "%s may %s only for its own jobs, not for jobs of %s. Ask %s or an owner of the project."
            .formatted(operation, actor.name(), owner, owner));
  }
}
