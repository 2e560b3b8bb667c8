package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link MembershipStore}, including the isolation of tenants. */
public abstract class MembershipStoreContract {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private TenantMember kept(TestWorld where, String name, @Nullable Project project, Role role) {
    TenantMember member =
        new TenantMember(
            stores.ids().next(),
            name,
            new Membership(where.tenant().id(), project == null ? null : project.id(), role),
            NOW,
            "olga",
            0);
    stores.memberships().insert(member);
    return member;
  }

  @Test
  void memberIsReadInItsTenantOnly() {
    TestWorld other = TestWorld.in(stores);
    TenantMember ana = kept(world, "ana", null, Role.TENANT_MEMBER);
    TenantMember owner = kept(world, "ana", world.project(), Role.PROJECT_OWNER);
    TenantId tenant = world.tenant().id();

    assertThat(stores.memberships().members(tenant, null)).containsExactly(ana);
    assertThat(stores.memberships().members(tenant, world.project().id())).containsExactly(owner);
    assertThat(stores.memberships().member(tenant, null, "ana")).contains(ana);
    assertThat(stores.memberships().member(tenant, null, "eve")).isEmpty();
    assertThat(stores.memberships().members(other.tenant().id(), null)).isEmpty();
    assertThat(stores.memberships().members(other.tenant().id(), world.project().id())).isEmpty();
  }

  @Test
  void grantsOfAPrincipalAreFoundInAllTenants() {
    String name = world.uniqueName("ana");
    TestWorld other = TestWorld.in(stores);
    TenantMember here = kept(world, name, world.project(), Role.PROJECT_VIEWER);
    TenantMember there = kept(other, name, null, Role.TENANT_OWNER);

    assertThat(stores.memberships().held(name))
        .containsExactlyInAnyOrder(here.membership(), there.membership());
    assertThat(stores.memberships().held(world.uniqueName("eve"))).isEmpty();
  }

  @Test
  void lockedRolesAreThoseOfOneTenant() {
    String name = world.uniqueName("ana");
    TestWorld other = TestWorld.in(stores);
    TenantMember here = kept(world, name, null, Role.TENANT_VIEWER);
    TenantMember project = kept(world, name, world.project(), Role.PROJECT_OWNER);
    kept(other, name, null, Role.TENANT_OWNER);

    assertThat(stores.memberships().locked(world.tenant().id(), name))
        .containsExactlyInAnyOrder(here.membership(), project.membership());
  }

  /** Fails when a principal can have two roles in one place: removing one would leave access. */
  @Test
  void principalHasOneRolePerTenantAndProject() {
    kept(world, "ana", null, Role.TENANT_MEMBER);
    kept(world, "ana", world.project(), Role.PROJECT_VIEWER);

    Refused.by(Guard.NAME_TAKEN, () -> kept(world, "ana", null, Role.TENANT_OWNER));
    Refused.by(Guard.NAME_TAKEN, () -> kept(world, "ana", world.project(), Role.PROJECT_OWNER));
  }

  @Test
  void roleIsReplacedOnlyInTheVersionThatWasRead() {
    TenantMember old = kept(world, "ana", null, Role.TENANT_MEMBER);
    TenantMember owner = old.with(Role.TENANT_OWNER);
    stores.memberships().update(owner);

    assertThat(stores.memberships().members(world.tenant().id(), null)).containsExactly(owner);
    Refused.by(Guard.VERSION, () -> stores.memberships().update(old.with(Role.TENANT_VIEWER)));
  }

  @Test
  void memberIsRemovedOnlyInTheVersionThatWasRead() {
    TenantMember old = kept(world, "ana", null, Role.TENANT_MEMBER);
    TenantMember owner = old.with(Role.TENANT_OWNER);
    stores.memberships().update(owner);

    Refused.by(Guard.VERSION, () -> stores.memberships().delete(old));
    stores.memberships().delete(owner);
    assertThat(stores.memberships().members(world.tenant().id(), null)).isEmpty();
    Refused.by(Guard.VERSION, () -> stores.memberships().delete(owner));
  }
}
