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
 * What the maker of a token or of a member may do at this moment. What its request was let in with
 * may be two seconds old, and what it makes would outlast that.
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
   * The actor with the roles that it has now; it keeps them, and its token stays valid, until the
   * transaction ends. A membership that is being taken away is waited for.
   *
   * @param project what is made belongs to it; null for what is the tenant's: roles of a project
   *     then do not count
   * @throws Refusal UNAUTHENTICATED when the token of the request has ended
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
   * The token of the request, which stays valid until the transaction ends; null for none.
   *
   * @throws Refusal UNAUTHENTICATED when it has ended
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
