package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.service.dcgm.GpuFaultLoop;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.workload.service.attempt.ExportedDevices;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A fault in the series of a DCGM exporter, until the job runs elsewhere. */
class ExporterFaultTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(3450);
  private final MemoryStores stores = fairlead.stores();
  private final List<GpuSample> shown = new ArrayList<>();
  private long nanos;
  private final GpuFaultLoop loop =
      new GpuFaultLoop(
          new Leases(
              stores.leases(),
              new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
              () -> nanos,
              "one"),
          stores.samples(),
          stores.health(),
          stores.devices(),
          ServiceParts.intake(stores),
          new HealthAudit(stores.audit(), stores.tenants(), stores.inventory()),
          new ExportedDevices(
              stores.jobs(),
              new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
              stores.tenants()),
          stores.inventory(),
          prometheus -> new SeriesReading.Read(shown),
          stores.transactions(),
          new SimpleMeterRegistry());

  @BeforeEach
  void aClusterThatIsReadForFaults() {
    fairlead.register("eu", new FleetPool(8, 8, "H100", 1, 1));
    Tenant first =
        new Tenant(new TenantId(stores.ids().next()), Tenant.FIRST, "", Tenant.State.ACTIVE, 1);
    stores.transactions().run(() -> stores.tenants().insert(first));
    Cluster eu = stores.inventory().clusterNamed("eu").orElseThrow();
    stores
        .inventory()
        .configure(
            eu.configured(
                eu.capacity(),
                eu.pricePerGpuHour(),
                eu.settings().withPrometheus(new Prometheus("https://eu", null, true))),
            null);
  }

  private void shows(String node, int xid) {
    shown.clear();
    shown.add(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-1", List.of(node), 61, null));
    shown.add(new GpuSample("DCGM_FI_DEV_XID_ERRORS", "GPU-1", List.of(node), xid, null));
    nanos += MINUTE.toNanos();
    assertThat(loop.tick()).isTrue();
  }

  @Test
  void holderOfTheGpuMovesToAnotherNode() {
    Job job =
        fairlead.until(
            fairlead.submit(
                Specs.job("held").gpus(8).annotation("sim.fairlead.dev/run-for", "10m")),
            JobState.RUNNING);
    String sick = fairlead.attempts(job).getFirst().members().getFirst().nodeName();
    shows(sick, 0);
    shows(sick, 79);
    fairlead.pass(Duration.ofSeconds(59));

    Attempt first = fairlead.attempts(job).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.FAILED);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(first.failure().message()).contains("XID 79", "GPU-1", sick);
    Attempt second = fairlead.attempts(fairlead.until(job, JobState.RUNNING)).getLast();
    assertThat(second.members().getFirst().nodeName()).isNotEqualTo(sick);
  }
}
