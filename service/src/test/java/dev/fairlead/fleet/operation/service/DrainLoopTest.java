package dev.fairlead.fleet.operation.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.InMemoryFairlead;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationState;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrainLoopTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final TestWorld world = TestWorld.in(stores);
  private final Leases leases =
      new Leases(
          stores.leases(),
          new LeaseTimes(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofSeconds(12)),
          () -> 0,
          "me");
  private final DrainLoop loop =
      new DrainLoop(
          leases, stores.operations(), stores.inventory(), stores.jobs(), stores.transactions());

  /**
   * Fails when a node counts as empty while it runs a pod whose resources are booked on another
   * node.
   */
  @Test
  void podBoundToTheNodeByAnotherSchedulerKeepsItsDrainOpen() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("bound")), 0, "node-1"));
    Attempt bound = attempt.with(attempt.members().stream().map(m -> m.boundTo("node-2")).toList());
    world.append(
        JobTransitions.observe(
            world.jobOf(attempt), null, bound, null, List.of(), world.now(), TestWorld.ACTOR));
    Operation drain = fairlead.drains().drainNode(fairlead.operator(), "node-2", null, false);

    loop.tick();
    assertThat(state(drain)).isEqualTo(OperationState.RUNNING);

    world.succeed(world.attempt(attempt));
    loop.tick();
    assertThat(state(drain)).isEqualTo(OperationState.SUCCEEDED);
  }

  private OperationState state(Operation drain) {
    return stores.operations().find(fairlead.operator().tenant(), drain.id()).orElseThrow().state();
  }
}
