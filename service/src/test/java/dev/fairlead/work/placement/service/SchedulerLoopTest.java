package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times of planning, and the handling of plans that all fail. */
class SchedulerLoopTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when only the log reports that nothing is planned. */
  @Test
  void alwaysThrowingPlanIsTheExplanationOfEveryWaitingJob() {
    Job job = world.submit(Specs.job("waits"));
    SchedulerLoop loop = loop(imagined -> unreadable(stores.world().readWith(imagined)));

    for (int i = 0; i < PoisonJobs.TRIES; i++) {
      assertThatThrownBy(loop::tick).hasMessage("no such node");
    }

    Blocker told = stores.explanations().of(job.id()).orElseThrow().explanation().first();
    assertThat(told.message()).startsWith("no job is planned").contains("no such node");
  }

  /** Fails when each pass plans: then both examine the nodes. */
  @Test
  void unchangedWorldIsNotPlannedAgain() {
    Nodes nodes = new Nodes(stores.world().read().nodes());
    SchedulerLoop loop = loop(_ -> with(nodes, stores.world().read()));
    loop.tick();
    int looks = nodes.looks;

    loop.tick();

    assertThat(looks).isPositive();
    assertThat(nodes.looks).isEqualTo(looks);
  }

  /** Fails when a changed snapshot counts as the planned one. */
  @Test
  void newJobOnAnUnchangedFleetIsPlanned() {
    SchedulerLoop loop = loop(stores.world());
    loop.tick();
    Job job = world.submit(Specs.job("comes"));

    loop.tick();

    assertThat(stores.jobs().liveAttempts(job.id())).hasSize(1);
  }

  /** Fails when each change of a model service reads the world, or a submit waits for a pass. */
  @Test
  void onlyJobsOfModelServicesWakeIt() {
    assertThat(loop(stores.world()).wakesOn())
        .contains(WakeUps.Topic.JOBS, WakeUps.Topic.ATTEMPTS)
        .doesNotContain(WakeUps.Topic.SERVICES, WakeUps.Topic.ROUTES);
  }

  private SchedulerLoop loop(WorldReader worlds) {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
            () -> 0,
            "me");
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), transition -> {});
    return ServiceParts.scheduler(stores, worlds, leases, writer, metrics);
  }

  private static World unreadable(World read) {
    return with(new Unreadable(), read);
  }

  private static World with(List<Node> nodes, World read) {
    return read.toBuilder().nodes(nodes).build();
  }

  private static final class Nodes extends AbstractList<Node> {
    private final List<Node> nodes;
    private int looks;

    Nodes(List<Node> nodes) {
      this.nodes = nodes;
    }

    @Override
    public Node get(int index) {
      looks++;
      return nodes.get(index);
    }

    @Override
    public int size() {
      return nodes.size();
    }
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
