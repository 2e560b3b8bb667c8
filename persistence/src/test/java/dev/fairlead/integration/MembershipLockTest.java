package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.work.world.TestWorld;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A membership during the creation of a token that depends on it, and memberships that must not
 * exist.
 */
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

  /** Fails when a removal is not blocked: a token created in the meantime outlives it. */
  @Test
  void memberCannotBeRemovedDuringATokenCreation() {
    TenantMember ana = member("ana");
    assertThat(free(ana)).isEqualTo(1);

    stores
        .transactions()
        .run(() -> {
          stores.memberships().locked(world.tenant().id(), "ana");
          assertThat(CompletableFuture.supplyAsync(() -> free(ana)).join()).isZero();
        });
  }

  /**
   * Fails when a loaded row stays managed: a later change by another transaction is then an error.
   */
  @Test
  void secondReadOfATransactionSeesConcurrentChanges() {
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

  /** Number of the member's rows that another transaction could delete now. */
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
}
