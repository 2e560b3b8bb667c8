package dev.fairlead.people.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link TokenStore}, including the isolation of tenants. */
public abstract class TokenStoreContract {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private ApiToken token(String principal, Role role, @Nullable ProjectId project) {
    return new ApiToken(
        new TokenId(stores.ids().next()),
        world.tenant().id(),
        principal,
        "laptop",
        role,
        project,
        NOW,
        "olga",
        null,
        NOW.plus(Duration.ofDays(90)),
        null,
        role == Role.MONITOR ? world.cluster().id() : null);
  }

  private ApiToken kept(String principal) {
    ApiToken token = token(principal, Role.TENANT_MEMBER, null);
    stores.tokens().insert(token, hash(token));
    return token;
  }

  private static String hash(ApiToken token) {
    return TokenText.hash(token.id().text());
  }

  @Test
  void tokenIsFoundByItsHashAndReadBackInFull() {
    ApiToken token = token("sa:ci", Role.PROJECT_MEMBER, world.project().id());
    stores.tokens().insert(token, hash(token));

    assertThat(stores.tokens().withHash(hash(token))).contains(token);
    assertThat(stores.tokens().withHash(TokenText.hash("fl_another"))).isEmpty();
    assertThat(stores.tokens().find(world.tenant().id(), token.id())).contains(token);
  }

  /** Fails when the query does not filter by tenant. */
  @Test
  void aTokenOfAnotherTenantIsNotFound() {
    TenantId other = TestWorld.in(stores).tenant().id();
    ApiToken token = kept("ana");

    assertThat(stores.tokens().find(other, token.id())).isEmpty();
    assertThat(stores.tokens().page(other, null, null, 9)).isEmpty();
    assertThat(stores.tokens().page(other, "ana", null, 9)).isEmpty();
  }

  @Test
  void tokensAreListedNewestFirstOfOnePrincipalOrAll() {
    ApiToken first = kept("ana");
    ApiToken second = kept("bea");
    ApiToken third = kept("ana");

    TenantId tenant = world.tenant().id();
    assertThat(stores.tokens().page(tenant, null, null, 9)).containsExactly(third, second, first);
    assertThat(stores.tokens().page(tenant, "ana", null, 9)).containsExactly(third, first);
    assertThat(stores.tokens().page(tenant, null, null, 2)).containsExactly(third, second);
    assertThat(stores.tokens().page(tenant, null, second.id(), 2)).containsExactly(first);
    assertThat(stores.tokens().page(tenant, "ana", third.id(), 2)).containsExactly(first);
  }

  @Test
  void aTokenIsRevokedOnce() {
    ApiToken token = kept("ana");
    stores.tokens().revoke(token, NOW);
    stores.tokens().revoke(token, NOW.plusSeconds(60));

    ApiToken revoked = stores.tokens().withHash(hash(token)).orElseThrow();
    assertThat(revoked).isEqualTo(token.withRevokedAt(NOW));
    assertThat(revoked.validAt(NOW)).isFalse();
    assertThat(token.validAt(NOW)).isTrue();
    assertThat(token.validAt(token.expiresAt())).isFalse();
  }

  /** Fails when only the token itself ends, or only tokens created directly with it. */
  @Test
  void tokensCreatedByATokenEndWithIt() {
    ApiToken root = kept("olga");
    ApiToken child = madeWith(root);
    ApiToken grandchild = madeWith(child);
    ApiToken other = kept("olga");
    stores.tokens().revoke(child, NOW);
    ApiToken late = madeWith(child);

    stores.tokens().revoke(root, NOW.plusSeconds(60));

    assertThat(read(child).revokedAt()).isEqualTo(NOW);
    assertThat(read(grandchild).revokedAt()).isEqualTo(NOW);
    assertThat(read(late).revokedAt()).isEqualTo(NOW.plusSeconds(60));
    assertThat(read(late).madeBy()).isEqualTo(child.id());
    assertThat(read(other).revokedAt()).isNull();
  }

  /** Fails when the tree is walked inside one tenant only. */
  @Test
  void tokensCreatedInAnotherTenantEndWithTheirCreator() {
    ApiToken root = kept("olga");
    ApiToken made = madeWith(root, TestWorld.in(stores).tenant().id());

    stores.tokens().revoke(root, NOW);

    assertThat(read(made).revokedAt()).isEqualTo(NOW);
  }

  @Test
  void validTokensOfAPrincipalAreFound() {
    ApiToken ana = kept("ana");
    stores.tokens().revoke(kept("ana"), NOW);
    TenantId tenant = world.tenant().id();

    assertThat(stores.tokens().madeBy(tenant, "olga", NOW)).containsExactly(ana);
    assertThat(stores.tokens().madeBy(tenant, "olga", ana.expiresAt())).isEmpty();
    assertThat(stores.tokens().madeBy(tenant, "ana", NOW)).isEmpty();
    assertThat(stores.tokens().madeBy(TestWorld.in(stores).tenant().id(), "olga", NOW)).isEmpty();
  }

  @Test
  void tokensAreCountedByHolderWhileValidAndByCreator() {
    ApiToken ana = kept("ana");
    kept("bea");
    stores.tokens().revoke(kept("ana"), NOW);
    TenantId tenant = world.tenant().id();

    assertThat(stores.tokens().valid(tenant, "ana", NOW)).containsExactly(ana);
    assertThat(stores.tokens().valid(tenant, "ana", ana.expiresAt())).isEmpty();
    assertThat(stores.tokens().made(tenant, "olga", NOW.minusSeconds(1))).isEqualTo(3);
    assertThat(stores.tokens().made(tenant, "olga", NOW)).isZero();
    assertThat(stores.tokens().made(tenant, "ana", NOW.minusSeconds(1))).isZero();
    assertThat(stores.tokens().locked(tenant, ana.id())).contains(ana);
  }

  private ApiToken madeWith(ApiToken maker) {
    return madeWith(maker, maker.tenant());
  }

  private ApiToken madeWith(ApiToken maker, TenantId tenant) {
    ApiToken made =
        new ApiToken(
            new TokenId(stores.ids().next()),
            tenant,
            "ana",
            "made",
            Role.TENANT_VIEWER,
            null,
            NOW,
            maker.principal(),
            maker.id(),
            maker.expiresAt(),
            null,
            null);
    stores.tokens().insert(made, hash(made));
    return made;
  }

  private ApiToken read(ApiToken token) {
    return stores.tokens().find(token.tenant(), token.id()).orElseThrow();
  }
}
