package dev.fairlead.workload.service.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.job.JobWriter;
import dev.fairlead.tenant.Egress;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.workload.NamespacePlan;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NamespacePlansTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final AttemptRepository desk =
      new AttemptRepository(
          stores.transactions(),
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
          stores.tenants(),
          stores.leases(),
          stores.reservations(),
          stores.secrets(),
          purpose -> Optional.empty(),
          new SimpleMeterRegistry());

  private Project strict(TestWorld world) {
    UUID queue = world.queue().id().value();
    Project project = world.project().with(queue, Egress.strict(List.of()));
    stores.tenants().update(project);
    return project;
  }

  /** Fails when a namespace is removed before its tenant is archived, or has two plans then. */
  @Test
  void namespacesOfArchivedTenantsAloneAreAbandoned() {
    Project lives = strict(TestWorld.in(stores));
    TestWorld other = TestWorld.in(stores);
    Project leaves = strict(other);
    Tenant archiving = other.tenant().in(Tenant.State.ARCHIVING);
    stores.tenants().update(archiving);
    NamespacePlan stays = new NamespacePlan(lives.namespace(), lives.egress());
    assertThat(desk.namespacePlans())
        .containsExactlyInAnyOrder(stays, new NamespacePlan(leaves.namespace(), leaves.egress()));

    stores.tenants().update(archiving.in(Tenant.State.ARCHIVED));

    assertThat(desk.namespacePlans())
        .containsExactlyInAnyOrder(
            stays, new NamespacePlan(leaves.namespace(), leaves.egress(), true));
  }
}
