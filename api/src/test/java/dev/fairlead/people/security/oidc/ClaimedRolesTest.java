package dev.fairlead.people.security.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.security.oidc.OidcSettings.RoleMapping;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimedRolesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Tenant fallback =
      new Tenant(new TenantId(stores.ids().next()), "default", "", Tenant.State.ACTIVE, 1);
  private final ClaimedRoles roles;

  ClaimedRolesTest() {
    stores.tenants().insert(fallback);
    String tenant = world.tenant().name();
    roles =
        new ClaimedRoles(
            List.of(
                new RoleMapping("ml", tenant, "project-member", world.project().id().text()),
                new RoleMapping("ops", "default", "operator", null),
                new RoleMapping("leads", "default", "tenant-owner", null),
                new RoleMapping("lost", "no-such-tenant", "tenant-owner", null)),
            stores.transactions(),
            stores.tenants(),
            () -> 0);
  }

  /** Fails when roles of two tenants are mixed. */
  @Test
  void firstMatchingMappingDecidesTheTenant() {
    Principal ana = roles.principal("ana", List.of("leads", "ml"));

    assertThat(ana.home()).isEqualTo(world.tenant().id());
    assertThat(ana.at(world.project().id()).roles()).containsExactly(Role.PROJECT_MEMBER);
    assertThat(ana.at(null).roles()).isEmpty();
    assertThat(ana.in(fallback.id()).orElseThrow().at(null).roles())
        .containsExactly(Role.TENANT_OWNER);
    assertThat(roles.principal("ana", List.of("leads")).at(null).roles())
        .containsExactly(Role.TENANT_OWNER);
  }

  /** Fails when a project that is deleted and recreated has the roles of the first one. */
  @Test
  void newProjectDoesNotInheritRolesOfADeletedProjectWithItsName() {
    Project first = world.project();
    ProjectId later = new ProjectId(stores.ids().next());
    stores.tenants().delete(first);
    stores
        .tenants()
        .insert(
            first
                .with()
                .id(later)
                .namespace(first.namespace() + "-2")
                .idle(null)
                .version(1)
                .build());

    Principal ana = roles.principal("ana", List.of("ml"));

    assertThat(ana.at(later).roles()).isEmpty();
  }

  @Test
  void platformRolesAddToThoseOfTheTenant() {
    assertThat(roles.principal("olga", List.of("ml", "ops")).at(null).roles())
        .containsExactly(Role.OPERATOR);
  }

  @Test
  void unmappedClaimsGrantNothing() {
    Principal eve = roles.principal("eve", List.of("lost", "unmapped", "ML"));

    assertThat(eve.home()).isEqualTo(fallback.id());
    assertThat(eve.anywhere().roles()).isEmpty();
  }
}
