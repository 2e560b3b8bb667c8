package dev.fairlead.people.token.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import java.util.SortedSet;

/** Rules about tokens that the request alone decides. */
final class TokenRules {
  private TokenRules() {}

  /**
   * @throws Refusal FORBIDDEN for another principal unless the actor may make all tokens, and for a
   *     role that the actor cannot delegate, INVALID_FIELD for a role that does not match the
   *     principal
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
   * @throws Refusal FORBIDDEN when the role allows more than the roles of its maker
   */
  static void covered(String maker, SortedSet<Role> held, Role wanted) {
    if (!PermissionMatrix.CURRENT.covers(held, wanted)) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          ("A token with the role %s would grant more permissions than %s has. Choose a role with"
                  + " fewer permissions, or ask an owner of the tenant.")
              .formatted(wanted.wire(), maker));
    }
  }

  /**
   * Refuses a platform role without a membership, because its token would not end when its maker
   * leaves the group.
   */
  private static void lasting(Actor actor, Role role) {
    boolean signedIn = actor.credential() == null && !Principal.reserved(actor.name());
    if (signedIn && role.scope() == Role.Scope.PLATFORM) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          ("%s has platform roles only while signed in, and a token with the role %s would"
                  + " outlast them. Create it with the bootstrap token or with an administrator's"
                  + " API token.")
              .formatted(actor.name(), role.wire()));
    }
  }

  /**
   * Refuses a role other than admin for a reserved principal, because the jobs of its bearer would
   * belong to the administrators without an account.
   */
  private static void named(String principal, Role role) {
    if (Principal.reserved(principal) && role != Role.ADMIN) {
      throw Refusal.field(
          "/user",
          ("A token of the administrator \"%s\" has the role admin. Set the owner of this token:"
                  + " user, or --user on the command line.")
              .formatted(principal));
    }
  }
}
