package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TenantArchivalLoopTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private long nanos;
  private final TenantArchivalLoop loop =
      new TenantArchivalLoop(
          new Leases(
              stores.leases(),
              new LeaseTimes(
                  Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
              () -> nanos,
              "me"),
          stores.tenants(),
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), new TransitionJournal()),
          stores.removals(),
          stores.volumes(),
          stores.transactions());

  private void archive() {
    stores.tenants().update(world.tenant().in(Tenant.State.ARCHIVING));
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minusSeconds(5)) {
      nanos += Duration.ofSeconds(5).toNanos();
      loop.tick();
    }
  }

  private JobState state(Job job) {
    return stores.jobs().find(job.tenant(), job.id()).orElseThrow().state();
  }

  private Tenant.State tenant() {
    return stores.tenants().tenant(world.tenant().id()).orElseThrow().state();
  }

  @Test
  void onlyJobsOfAnArchivedTenantAreCancelled() {
    Job waits = world.submit(Specs.job("waits").gpus(1));
    Job runs = world.submit(Specs.job("runs").gpus(1));
    world.run(world.place(runs, 0, "node-1"));
    Job others = TestWorld.in(stores).submit(Specs.job("others"));
    pass(Duration.ofMinutes(1));
    assertThat(state(waits)).isEqualTo(JobState.QUEUED);
    archive();

    pass(Duration.ofMinutes(1));

    assertThat(state(waits)).isEqualTo(JobState.CANCELLED);
    assertThat(state(runs)).isEqualTo(JobState.CANCELLING);
    assertThat(state(others)).isEqualTo(JobState.QUEUED);
    assertThat(tenant()).isEqualTo(Tenant.State.ARCHIVING);
  }

  /** Fails when the oldest jobs are read repeatedly while they take long to stop. */
  @Test
  void slowlyStoppingJobsDelayNoOther() {
    NodeReport[] nodes =
        IntStream.range(0, 500)
            .mapToObj(i -> NodeReports.node("slow-" + i).build())
            .toArray(NodeReport[]::new);
    world.report(nodes);
    for (int i = 0; i < nodes.length; i++) {
      world.run(world.place(world.submit(Specs.job("slow-" + i)), 0, "slow-" + i));
    }
    Job younger = world.submit(Specs.job("younger"));
    archive();

    pass(Duration.ofSeconds(10));

    assertThat(state(younger)).isEqualTo(JobState.CANCELLED);
  }

  /** Fails when a transaction from before the archival can still store a job afterwards. */
  @Test
  void tenantIsArchivedOnceNoJobCanBeSubmitted() {
    archive();
    pass(Duration.ofSeconds(65));
    assertThat(tenant()).isEqualTo(Tenant.State.ARCHIVING);
    Job late = world.submit(Specs.job("late"));

    pass(Duration.ofMinutes(1));

    assertThat(state(late)).isEqualTo(JobState.CANCELLED);
    assertThat(tenant()).isEqualTo(Tenant.State.ARCHIVED);
    assertThat(stores.removals().due(world.cluster().id(), 10)).hasSize(1);
  }

  @Test
  void processWithoutTheLeaseCancelsNothing() {
    stores.leases().create("archive", "other");
    Job waits = world.submit(Specs.job("waits"));
    archive();

    loop.tick();

    assertThat(state(waits)).isEqualTo(JobState.QUEUED);
  }

  /**
   * Fails when the claim of a volume from the time of the archiving is deleted with its namespace.
   */
  @Test
  void aTenantWithTheClaimOfAVolumeIsNotArchivedYet() {
    archive();
    Volume placed =
        Volumes.stored(
            stores, Volumes.kept(stores, world.project(), "late").placed(world.cluster().id()));
    Volume made = Volumes.stored(stores, placed.provisioned("uid-1", Instant.EPOCH));
    pass(Duration.ofMinutes(5));
    assertThat(tenant()).isEqualTo(Tenant.State.ARCHIVING);

    stores.volumes().delete(made);
    pass(Duration.ofMinutes(1));
    assertThat(tenant()).isEqualTo(Tenant.State.ARCHIVED);
  }
}
