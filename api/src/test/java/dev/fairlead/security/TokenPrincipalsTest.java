package dev.fairlead.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.tenant.Membership;
import dev.fairlead.tenant.Principal;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.TenantMember;
import dev.fairlead.token.ApiToken;
import dev.fairlead.token.TokenId;
import dev.fairlead.token.TokenText;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenPrincipalsTest {
  private static final String TEXT = TokenText.of(new byte[TokenText.BYTES]);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final AtomicLong nanos = new AtomicLong();
  private final TokenPrincipals principals =
      new TokenPrincipals(
          stores.transactions(), stores.tokens(), stores.memberships(), stores.clock(), nanos::get);
  private final TenantMember member =
      new TenantMember(
          stores.ids().next(),
          "sa:ci",
          new Membership(world.tenant().id(), null, Role.TENANT_MEMBER),
          stores.clock().instant(),
          "ana",
          0);

  TokenPrincipalsTest() {
    stores.memberships().insert(member);
  }

  private ApiToken kept() {
    ApiToken token =
        new ApiToken(
            new TokenId(stores.ids().next()),
            world.tenant().id(),
            "sa:ci",
            "ci",
            Role.TENANT_MEMBER,
            null,
            stores.clock().instant(),
            "ana",
            null,
            stores.clock().instant().plus(Duration.ofDays(1)),
            null);
    stores.tokens().insert(token, TokenText.hash(TEXT));
    return token;
  }

  @Test
  void theBearerHasTheRoleOfTheTokenAndNoOther() {
    kept();

    Principal bearer = principals.bearer(TEXT).orElseThrow();

    assertThat(bearer.name()).isEqualTo("sa:ci");
    assertThat(bearer.kind()).isEqualTo(Principal.Kind.SERVICE_ACCOUNT);
    assertThat(bearer.at(null).roles()).containsExactly(Role.TENANT_MEMBER);
  }

  /** Fails when a token keeps what its principal has lost. */
  @Test
  void aTokenAllowsNoMoreThanItsPrincipalHoldsTwoSecondsLater() {
    kept();
    assertThat(principals.bearer(TEXT)).isPresent();
    TenantMember viewer = member.with(Role.TENANT_VIEWER);
    stores.memberships().update(viewer);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());

    assertThat(principals.bearer(TEXT).orElseThrow().at(null).roles())
        .containsExactly(Role.TENANT_VIEWER);

    stores.memberships().delete(viewer);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(principals.bearer(TEXT)).isEmpty();
  }

  /** Fails when what was found is believed for longer than two seconds. */
  @Test
  void aRevokedTokenIsRefusedTwoSecondsLaterAtTheLatest() {
    ApiToken token = kept();
    assertThat(principals.bearer(TEXT)).isPresent();
    stores.tokens().revoke(token, stores.clock().instant());

    nanos.addAndGet(Duration.ofSeconds(2).toNanos());

    assertThat(principals.bearer(TEXT)).isEmpty();
  }

  /** Fails when the expiry is looked at only when the row is read. */
  @Test
  void aTokenThatExpiresIsRefusedAtOnce() {
    kept();
    assertThat(principals.bearer(TEXT)).isPresent();

    stores.clock().advance(Duration.ofDays(1));

    assertThat(principals.bearer(TEXT)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fl_", "fl_short", "FL_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", ""})
  void whatIsNoTokenIsRefused(String text) {
    kept();

    assertThat(principals.bearer(text)).isEmpty();
    assertThat(principals.bearer(TEXT + "x")).isEmpty();
  }
}
