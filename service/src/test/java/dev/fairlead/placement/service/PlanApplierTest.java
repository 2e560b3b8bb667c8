package dev.fairlead.placement.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.job.Job;
import dev.fairlead.job.JobState;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.Member;
import dev.fairlead.job.Specs;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.placement.Decision;
import dev.fairlead.placement.Plan;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.transaction.FenceLost;
import dev.fairlead.world.Members;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PlanApplierTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final PlanApplier applier =
      new PlanApplier(
          stores.transactions(),
          stores.jobs(),
          new JobWriter(stores.jobs(), t -> {}),
          new Evictor(stores.jobs(), new JobWriter(stores.jobs(), t -> {}), stores.reservations()),
          stores.ids(),
          metrics);
  private final HeldLease lease = stores.leases().create("scheduler", "me").orElseThrow();

  private Decision.Place on(String node, Job job) {
    List<Member> members = Members.of(job.spec(), List.of(world.node(node)), CapacityType.RESERVED);
    return new Decision.Place(job.id(), job.version(), 0, world.cluster().id(), members);
  }

  private int apply(Decision... decisions) {
    return applier.apply(
        lease, new Plan(world.now(), List.of(decisions), new TreeMap<>(), List.of()));
  }

  @Test
  void aPlacementBecomesAnAttemptThatHoldsItsPlace() {
    Job job = world.submit(Specs.job("a").gpus(8));
    assertThat(apply(on("node-1", job))).isZero();
    assertThat(world.job(job).state()).isEqualTo(JobState.ADMITTED);
    assertThat(world.node("node-1").gpus()).allMatch(g -> g.allocatedMilli() == 1000);
  }

  /** Fails when the version is not compared on the locked row. */
  @Test
  void aJobThatChangedSinceThePlanIsDropped() {
    Job job = world.submit(Specs.job("a"));
    Decision.Place planned = on("node-1", job);
    Job cancelled = job.next(job.run(), null);
    world.append(
        new dev.fairlead.job.Transition(
            cancelled,
            List.of(),
            null,
            dev.fairlead.job.Transition.Holding.KEEP,
            List.of(),
            "test"));
    assertThat(apply(planned)).isEqualTo(1);
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
    assertThat(metrics.counter("fairlead.plan.dropped", "guard", "VERSION").count()).isEqualTo(1);
  }

  @Test
  void oneDecisionThatNoLongerFitsDoesNotTakeItsBatchWithIt() {
    Job first = world.submit(Specs.job("first").gpus(8));
    Job second = world.submit(Specs.job("second").gpus(8));
    Job third = world.submit(Specs.job("third").gpus(8));
    assertThat(apply(on("node-1", first), on("node-1", second), on("node-2", third))).isEqualTo(1);
    assertThat(world.job(first).state()).isEqualTo(JobState.ADMITTED);
    assertThat(world.job(second).state()).isEqualTo(JobState.QUEUED);
    assertThat(world.job(third).state()).isEqualTo(JobState.ADMITTED);
  }

  /** Fails when the plan is applied outside the fence. */
  @Test
  void aDeposedSchedulerWritesNothing() {
    Job job = world.submit(Specs.job("a"));
    stores.leases().takeOver(stores.leases().read("scheduler").orElseThrow(), "other");
    assertThatThrownBy(() -> apply(on("node-1", job))).isInstanceOf(FenceLost.class);
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
  }
}
