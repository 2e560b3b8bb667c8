package dev.fairlead.fleet.limit.service;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Null;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LimitCommandsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final LimitCommands commands =
      new LimitCommands(
          stores.transactions(),
          stores.configs(),
          stores.tenants(),
          stores.audit(),
          new LimitSettings(0));

  private final Actor owner = new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER);

  private LimitsView project(Map<Limit, Long> values) {
    return commands.update(owner, world.project().name(), new TreeMap<>(values), null, false);
  }

  private void tenant(Map<Limit, Long> values) {
    world.limit(null, values);
  }

  /** Fails when an owner lifts the platform's guard, or when an operator cannot. */
  @Test
  void onlyATenantLimitRaisesTheActiveJobsOfAProjectAboveTheDefault() {
    assertThatThrownBy(() -> project(Map.of(Limit.ACTIVE_JOBS, 200_000L)))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("limit-commands.activejobs-project-most", "activeJobs", 100000))
        .hasMessageContaining("operator");

    tenant(Map.of(Limit.ACTIVE_JOBS, 300_000L));
    assertThat(project(Map.of(Limit.ACTIVE_JOBS, 200_000L)).effective().values())
        .containsEntry(Limit.ACTIVE_JOBS, 200_000L);

    tenant(Map.of());
    assertThat(commands.view(owner, world.project().name()).effective().values())
        .containsEntry(Limit.ACTIVE_JOBS, 100_000L);
  }

  /** Fails when an unchanged value is refused because its tenant's was lowered. */
  @Test
  void projectAboveItsTenantLimitCanChangeOtherLimits() {
    project(Map.of(Limit.ACTIVE_JOBS, 50L));
    tenant(Map.of(Limit.ACTIVE_JOBS, 5L));

    LimitsView changed = project(Map.of(Limit.ACTIVE_JOBS, 50L, Limit.SPEC_BYTES, 2048L));

    assertThat(changed.effective().values())
        .containsEntry(Limit.SPEC_BYTES, 2048L)
        .containsEntry(Limit.ACTIVE_JOBS, 5L);
    assertThatThrownBy(() -> project(Map.of(Limit.ACTIVE_JOBS, 49L))).isInstanceOf(Refusal.class);
  }

  /** Fails when the bounds of a limit differ between requests and the domain. */
  @Test
  void aLimitHasTheSameBoundsInRequestsAsInTheDomain() throws ReflectiveOperationException {
    for (Limit limit : Limit.values()) {
      Field field = Limits.class.getDeclaredField(limit.field());
      assertThat(field.getAnnotation(Min.class).value()).as(limit.field()).isEqualTo(limit.least());
      assertThat(field.getAnnotation(Max.class).value()).as(limit.field()).isEqualTo(limit.most());
      assertThat(field.isAnnotationPresent(Null.class))
          .as(limit.field())
          .isEqualTo(!limit.ofProjects());
    }
  }

  /** Fails when limits are lost between a request and the document. */
  @Test
  void everyLimitIsConvertedToItsKindAndBack() {
    Limits all = new Limits(1L, 2L, 3L, 1024L, 5L, 6L, 30L, 8L, 9L);
    assertThat(all.values()).hasSize(Limit.values().length);
    assertThat(Limits.of(all.values())).isEqualTo(all);
  }
}
