package dev.fairlead.people.token.service;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import java.util.List;
import java.util.SortedSet;

/** Which tokens a caller may make, as far as the request itself shows. */
final class TokenRules {
  private TokenRules() {}

  /**
   * @throws Refusal FORBIDDEN for another principal unless all tokens are the actor's to make, and
   *     for a role that the actor cannot hand on; INVALID_FIELD for a role that does not go with
   *     the principal
   */
  static void allowed(Actor actor, String principal, Role role) {
    Permissions.require(actor, "createToken");
    if (Permissions.grant(actor, "createToken") == Grant.OWN && !principal.equals(actor.name())) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          "%s can only create its own tokens. Ask an owner of the tenant for a token of %s."
              .formatted(actor.name(), principal));
    }
    covered(actor.name(), actor.roles(), role);
    lasting(actor, role);
    named(principal, role);
  }

  /**
   * @throws Refusal FORBIDDEN when the role allows more than those of its maker
   */
  static void covered(String maker, SortedSet<Role> held, Role wanted) {
    if (!PermissionMatrix.CURRENT.covers(held, wanted)) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          "A token with the role %s would allow more than %s may do. Choose a smaller role, or ask an owner of the tenant."
              .formatted(wanted.wire(), maker));
    }
  }

  /**
   * A platform role is no membership: nothing would end a token when its maker leaves the group.
   */
  private static void lasting(Actor actor, Role role) {
    boolean signedIn = actor.credential() == null && !Principal.reserved(actor.name());
    if (signedIn && role.scope() == Role.Scope.PLATFORM) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          "%s has its platform roles by signing in, and a token with the role %s would outlast them. Make it with the bootstrap token or with an administrator's API token."
              .formatted(actor.name(), role.wire()));
    }
  }

  /** Else the bearer's jobs would be those of the administrators without an account. */
  private static void named(String principal, Role role) {
    if (Principal.reserved(principal) && role != Role.ADMIN) {
      String detail =
          ("A token of the administrator \"%s\" has the role admin. Name the owner of this token: user, or --user on the "
                  + "command line.")
              .formatted(principal);
      throw new Refusal(
          ProblemCode.INVALID_FIELD,
          detail,
          List.of(new FieldProblem("/user", ProblemCode.INVALID_FIELD, detail, null)));
    }
  }
}
