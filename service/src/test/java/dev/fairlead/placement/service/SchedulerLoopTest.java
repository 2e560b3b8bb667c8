package dev.fairlead.placement.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.cluster.Node;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.Specs;
import dev.fairlead.loop.LeaseTimes;
import dev.fairlead.loop.Leases;
import dev.fairlead.placement.SchedulingEngine;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.World;
import dev.fairlead.world.WorldReader;
import dev.fairlead.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.AbstractList;
import org.junit.jupiter.api.Test;

/** A scheduler whose plans all fail. */
class SchedulerLoopTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when only a log line says that nothing is planned. */
  @Test
  void aPlanThatAlwaysThrowsIsTheExplanationOfEveryWaitingJob() {
    Job job = world.submit(Specs.job("waits"));
    SchedulerLoop loop = loop(imagined -> unreadable(stores.world().readWith(imagined)));

    for (int i = 0; i < SetAside.TRIES; i++) {
      assertThatThrownBy(loop::tick).hasMessage("no such node");
    }

    Blocker told = stores.explanations().of(job.id()).orElseThrow().explanation().first();
    assertThat(told.message()).startsWith("nothing is planned now").contains("no such node");
  }

  private SchedulerLoop loop(WorldReader worlds) {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
            () -> 0,
            "me");
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    JobWriter writer = new JobWriter(stores.jobs(), transition -> {});
    Evictor evictor = new Evictor(stores.jobs(), writer, stores.reservations());
    return new SchedulerLoop(
        leases,
        worlds,
        new SchedulingEngine(),
        new PlanApplier(
            stores.transactions(),
            stores.jobs(),
            writer,
            evictor,
            new Resizer(stores.jobs(), writer, evictor),
            stores.ids(),
            metrics),
        new ExplanationKeeper(stores.transactions(), stores.explanations(), leases),
        new DemandKeeper(stores.transactions(), stores.quotas(), leases),
        new ContradictionReport(metrics));
  }

  private static World unreadable(World read) {
    return new World(
        read.asOf(),
        read.clusters(),
        new Unreadable(),
        read.quotaNodes(),
        read.quotaUses(),
        read.pending(),
        read.live());
  }

  private static final class Unreadable extends AbstractList<Node> {
    @Override
    public Node get(int index) {
      throw new IllegalStateException("no such node");
    }

    @Override
    public int size() {
      return 1;
    }
  }
}
