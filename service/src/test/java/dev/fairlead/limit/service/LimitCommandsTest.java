package dev.fairlead.limit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.limit.Limit;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LimitCommandsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final LimitCommands commands =
      new LimitCommands(
          stores.transactions(),
          stores.limits(),
          stores.tenants(),
          stores.audit(),
          new LimitSettings(0));

  private final Actor owner = new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER);

  private LimitsView project(Map<Limit, Long> values) {
    return commands.update(owner, world.project().name(), new TreeMap<>(values), null, false);
  }

  private void tenant(Map<Limit, Long> values) {
    stores
        .transactions()
        .run(() -> {
          SetLimits old = stores.limits().of(world.tenant().id(), null);
          stores.limits().put(old.with(new TreeMap<>(values)));
        });
  }

  /** Fails when an owner lifts the platform's guard, or when an operator cannot. */
  @Test
  void onlyALimitOfTheTenantLetsAProjectHaveMoreActiveJobsThanTheDefault() {
    assertThatThrownBy(() -> project(Map.of(Limit.ACTIVE_JOBS, 200_000L)))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("activeJobs of a project is at most 100000")
        .hasMessageContaining("operator");

    tenant(Map.of(Limit.ACTIVE_JOBS, 300_000L));
    assertThat(project(Map.of(Limit.ACTIVE_JOBS, 200_000L)).effective())
        .containsEntry(Limit.ACTIVE_JOBS, 200_000L);

    tenant(Map.of());
    assertThat(commands.view(owner, world.project().name()).effective())
        .containsEntry(Limit.ACTIVE_JOBS, 100_000L);
  }

  /** Fails when a value that stays is refused since its tenant's was lowered. */
  @Test
  void aProjectAboveItsTenantChangesItsOtherLimits() {
    project(Map.of(Limit.ACTIVE_JOBS, 50L));
    tenant(Map.of(Limit.ACTIVE_JOBS, 5L));

    LimitsView changed = project(Map.of(Limit.ACTIVE_JOBS, 50L, Limit.SPEC_BYTES, 2048L));

    assertThat(changed.effective())
        .containsEntry(Limit.SPEC_BYTES, 2048L)
        .containsEntry(Limit.ACTIVE_JOBS, 5L);
    assertThatThrownBy(() -> project(Map.of(Limit.ACTIVE_JOBS, 49L))).isInstanceOf(Refusal.class);
  }
}
