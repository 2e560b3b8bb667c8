package dev.fairlead.people.token;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Determines the current rights of the creator of a token or of a member. The roles of its request
 * may be two seconds old, and the created object would outlast a change.
 */
public final class MakerRights {
  private final MembershipStore memberships;
  private final TokenStore tokens;
  private final InstantSource clock;

  public MakerRights(MembershipStore memberships, TokenStore tokens, InstantSource clock) {
    this.memberships = memberships;
    this.tokens = tokens;
    this.clock = clock;
  }

  /**
   * Returns the actor with its current roles. They are locked, and its token stays valid, until the
   * transaction ends. Waits for a membership that is being removed.
   *
   * @param project project of the created object, null for an object of the tenant, for which roles
   *     of projects do not apply
   * @throws Refusal UNAUTHENTICATED if the token of the request is no longer valid
   */
  public Actor now(Actor actor, @Nullable ProjectId project) {
    ApiToken token = token(actor, clock.instant());
    return actor.with(token == null ? signedIn(actor, project) : bearer(actor, token, project));
  }

  private SortedSet<Role> signedIn(Actor actor, @Nullable ProjectId project) {
    TreeSet<Role> roles = new TreeSet<>(actor.given());
    memberships.locked(actor.tenant(), actor.name()).stream()
        .filter(held -> held.project() == null || held.project().equals(project))
        .forEach(held -> roles.add(held.role()));
    return roles;
  }

  private SortedSet<Role> bearer(Actor actor, ApiToken token, @Nullable ProjectId project) {
    return token
        .bearer()
        .within(memberships.locked(token.tenant(), actor.name()))
        .at(project)
        .roles();
  }

  /**
   * Returns the token of the request, null if none. The token stays valid until the transaction
   * ends.
   *
   * @throws Refusal UNAUTHENTICATED if the token is no longer valid
   */
  public @Nullable ApiToken token(Actor actor, Instant now) {
    Credential used = actor.credential();
    return used == null
        ? null
        : tokens
            .locked(used.tenant(), new TokenId(used.token()))
            .filter(token -> token.validAt(now))
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.UNAUTHENTICATED,
                    "The token of this request has ended. Send another one."));
  }
}
