package dev.fairlead.people.token.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TokensTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Tokens tokens =
      new Tokens(
          stores.transactions(),
          stores.tokens(),
          new TokenPlaces(stores.tenants(), stores.inventory()),
          stores.memberships(),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER);

  private ApiToken make(Actor maker, String user, Duration lifetime) {
    NewToken wanted = new NewToken("laptop", user, Role.TENANT_VIEWER, null, null, lifetime);
    return tokens.create(maker, wanted, false).view().token();
  }

  private static Actor by(ApiToken token) {
    return token.bearer().at(null);
  }

  /**
   * Fails when only revocation is inherited: a token of a minute could create a token of a year.
   */
  @Test
  void tokenExpiresNoLaterThanItsCreator() {
    ApiToken maker = make(olga, "ana", Duration.ofHours(1));
    ApiToken made = make(by(maker), "ana", Duration.ofDays(366));
    ApiToken shorter = make(by(made), "ana", Duration.ofMinutes(1));

    assertThat(made.expiresAt()).isEqualTo(maker.expiresAt());
    assertThat(shorter.expiresAt()).isBefore(maker.expiresAt());
    assertThat(shorter.madeBy()).isEqualTo(made.id());
    assertThat(maker.madeBy()).isNull();
  }

  /** Fails when a request that began before its token was revoked leaves another token behind. */
  @Test
  void endedTokenCreatesNone() {
    ApiToken maker = make(olga, "ana", Duration.ofHours(1));
    Actor ana = by(maker);
    tokens.revoke(olga, maker.id());

    assertThatThrownBy(() -> make(ana, "ana", Duration.ofMinutes(1)))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.UNAUTHENTICATED));
  }

  private static void refused(ProblemCode code, ThrowingCallable work) {
    assertThatThrownBy(work)
        .isInstanceOfSatisfying(Refusal.class, r -> assertThat(r.code()).isEqualTo(code));
  }

  private ApiToken make(Actor maker, String user, Role role) {
    NewToken wanted = new NewToken("laptop", user, role, null, null, Duration.ofHours(1));
    return tokens.create(maker, wanted, false).view().token();
  }

  /** Fails when an administrator by a group of the issuer gets a token that outlasts the group. */
  @Test
  void platformRoleFromSignInCreatesNoPlatformToken() {
    Actor signedIn = new Actor(world.tenant().id(), "amy@example.com", Role.ADMIN);
    Actor bootstrap = new Actor(world.tenant().id(), "bootstrap", Role.ADMIN);

    refused(ProblemCode.FORBIDDEN, () -> make(signedIn, "sa:keep", Role.ADMIN));
    refused(ProblemCode.FORBIDDEN, () -> make(signedIn, "sa:keep", Role.AUDITOR));
    assertThat(make(signedIn, "sa:ci", Role.TENANT_OWNER)).isNotNull();
    assertThat(make(by(make(bootstrap, "amy", Role.ADMIN)), "sa:keep", Role.AUDITOR)).isNotNull();
  }

  /** Fails when the creator's token is looked up in the tenant of the new token. */
  @Test
  void administratorTokenCreatesTokensInOtherTenantsThatEndWithIt() {
    TestWorld other = TestWorld.in(stores);
    Actor bootstrap = new Actor(world.tenant().id(), "bootstrap", Role.ADMIN);
    ApiToken admin = make(bootstrap, "amy", Role.ADMIN);
    Actor there = admin.bearer().in(other.tenant().id()).orElseThrow().at(null);

    ApiToken made = make(there, "sa:ci", Role.TENANT_OWNER);
    tokens.revoke(bootstrap, admin.id());

    assertThat(made.tenant()).isEqualTo(other.tenant().id());
    assertThat(stores.tokens().find(made.tenant(), made.id()).orElseThrow().revokedAt())
        .isNotNull();
  }

  /** Fails when only the roles at the start of the request count, which may be two seconds old. */
  @Test
  void demotedMemberCreatesNoTokenWithItsOldRole() {
    Actor ana = by(make(olga, "ana", Role.TENANT_OWNER));
    TenantMember member =
        stores.memberships().member(world.tenant().id(), null, "ana").orElseThrow();
    stores.memberships().update(member.with(Role.TENANT_VIEWER));

    refused(ProblemCode.FORBIDDEN, () -> make(ana, "sa:ci", Role.TENANT_MEMBER));
  }

  /** Fails when the membership of a signed-in user is not read when the token is created. */
  @Test
  void personRemovedMeanwhileCreatesNoTokens() {
    Membership owner = new Membership(world.tenant().id(), null, Role.TENANT_OWNER);
    Principal claims =
        new Principal("eve", Principal.Kind.USER, world.tenant().id(), new TreeSet<>(), List.of());
    Actor eve = claims.with(List.of(owner)).at(null);
    refused(ProblemCode.FORBIDDEN, () -> make(eve, "sa:ci", Role.TENANT_MEMBER));

    stores
        .memberships()
        .insert(
            new TenantMember(
                stores.ids().next(), "eve", owner, stores.clock().instant(), "olga", 0));
    assertThat(make(eve, "sa:ci", Role.TENANT_MEMBER)).isNotNull();
  }

  /** Fails when a token of a monitor is created for all clusters, or does not name its cluster. */
  @Test
  void monitorTokenNamesItsCluster() {
    Actor bootstrap = new Actor(world.tenant().id(), "bootstrap", Role.ADMIN);
    refused(ProblemCode.INVALID_FIELD, () -> monitor(bootstrap, Role.MONITOR, null));
    refused(ProblemCode.INVALID_FIELD, () -> monitor(bootstrap, Role.TENANT_VIEWER, "c"));
    refused(ProblemCode.NOT_FOUND, () -> monitor(bootstrap, Role.MONITOR, "nowhere"));

    ApiToken made = monitor(bootstrap, Role.MONITOR, world.cluster().name());
    assertThat(stores.tokens().find(made.tenant(), made.id()).orElseThrow().cluster())
        .isEqualTo(world.cluster().id());
    assertThat(made.bearer().credential().cluster()).isEqualTo(world.cluster().id().value());
  }

  private ApiToken monitor(Actor maker, Role role, @Nullable String cluster) {
    NewToken wanted = new NewToken("dcgm", "sa:dcgm", role, null, cluster, Duration.ofHours(1));
    return tokens.create(maker, wanted, false).view().token();
  }

  /**
   * Fails when only valid tokens are counted: a token that is revoked immediately would be free.
   */
  @Test
  void aPrincipalMakesABoundedNumberOfTokensADay() {
    for (int i = 0; i < Tokens.MOST_MADE; i++) {
      tokens.revoke(olga, make(olga, "user-" + i, Duration.ofMinutes(1)).id());
    }

    assertThatThrownBy(() -> make(olga, "one-more", Duration.ofMinutes(1)))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED));
    stores.clock().advance(Duration.ofHours(24));
    assertThat(make(olga, "one-more", Duration.ofMinutes(1))).isNotNull();
  }

  @Test
  void aPrincipalHasABoundedNumberOfValidTokens() {
    for (int i = 0; i < Tokens.MOST; i++) {
      make(olga, "sa:ci", Duration.ofMinutes(1));
    }

    assertThatThrownBy(() -> make(olga, "sa:ci", Duration.ofMinutes(1)))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED));
    stores.clock().advance(Duration.ofMinutes(1));
    assertThat(make(olga, "sa:ci", Duration.ofMinutes(1))).isNotNull();
  }
}
