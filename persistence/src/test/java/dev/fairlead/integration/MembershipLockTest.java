package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.TokenText;
import dev.fairlead.work.world.TestWorld;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A membership while a token is made that stands on it, and memberships that should not be. */
class MembershipLockTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private TenantMember member(String name) {
    TenantMember member =
        new TenantMember(
            stores.ids().next(),
            name,
            new Membership(world.tenant().id(), null, Role.TENANT_MEMBER),
            world.now(),
            "olga",
            0);
    stores.memberships().insert(member);
    return member;
  }

  /** Fails when a removal can pass: the token that is made meanwhile outlives it. */
  @Test
  void aMemberCannotBeRemovedWhileATokenIsMadeForIt() {
    TenantMember ana = member("ana");
    assertThat(free(ana)).isEqualTo(1);

    stores
        .transactions()
        .run(() -> {
          stores.memberships().locked(world.tenant().id(), "ana");
          assertThat(CompletableFuture.supplyAsync(() -> free(ana)).join()).isZero();
        });
  }

  /** Fails when what was read stays managed: what another has changed since is then an error. */
  @Test
  void aSecondReadOfATransactionSeesWhatAnotherHasChanged() {
    TenantMember ana = member("ana");

    stores
        .transactions()
        .run(() -> {
          stores.memberships().member(world.tenant().id(), null, "ana");
          CompletableFuture.runAsync(() -> stores.memberships().update(ana.with(Role.TENANT_OWNER)))
              .join();
          assertThat(stores.memberships().locked(world.tenant().id(), "ana"))
              .containsExactly(new Membership(world.tenant().id(), null, Role.TENANT_OWNER));
        });
  }

  /** How many rows of the member another transaction could delete now. */
  private int free(TenantMember member) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("SELECT id FROM membership WHERE id = :id FOR UPDATE SKIP LOCKED")
                .param("id", member.id())
                .query((row, n) -> n)
                .list()
                .size());
  }

  /** Fails when a name of an administrator without an account keeps what it had before the rule. */
  @Test
  void theMigrationEndsTokensAndMembershipsOfAdministratorsWithoutAnAccount() throws IOException {
    member("local");
    member("ana");
    ApiToken old = token("local", Role.TENANT_OWNER, null);
    ApiToken made = token("eve", Role.TENANT_OWNER, old.id());
    ApiToken admin = token("bootstrap", Role.ADMIN, null);

    for (String statement : migration().split(";\n")) {
      stores.transactions().forAllTenants(() -> stores.jdbc().sql(statement).update());
    }

    assertThat(read(old).revokedAt()).isNotNull();
    assertThat(read(made).revokedAt()).isNotNull();
    assertThat(read(admin).revokedAt()).isNull();
    assertThat(stores.memberships().members(world.tenant().id(), null))
        .extracting(TenantMember::principal)
        .containsExactly("ana");
  }

  private ApiToken token(String principal, Role role, @Nullable TokenId maker) {
    ApiToken token =
        new ApiToken(
            new TokenId(stores.ids().next()),
            world.tenant().id(),
            principal,
            "old",
            role,
            null,
            world.now(),
            "local",
            maker,
            world.now().plus(Duration.ofDays(90)),
            null);
    stores.tokens().insert(token, TokenText.hash(token.id().text()));
    return token;
  }

  private ApiToken read(ApiToken token) {
    return stores.tokens().find(token.tenant(), token.id()).orElseThrow();
  }

  private static String migration() throws IOException {
    String name = "/db/migration/V0330__tokens_of_administrators_without_account.sql";
    try (InputStream file = MembershipLockTest.class.getResourceAsStream(name)) {
      String text = new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
      return text.substring(text.indexOf("WITH RECURSIVE"));
    }
  }
}
