package dev.fairlead.work.workload.simulation;

import static dev.fairlead.work.workload.simulation.VirtualCluster.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeterminismTest {
  private static final int CALLS = 400;
  private static final int NODES = 6;
  private static final List<String> OUTCOMES =
      List.of("success", "fail", "oom", "hang", "image-error", "reject", "node-reboot");

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void equalSeedsAndCallsGiveEqualHistories(long seed) {
    assertThat(new Run(seed, seed).history()).isEqualTo(new Run(seed, seed).history());
  }

  @Test
  void differentSeedYieldsOtherUids() {
    assertThat(new Run(1, 1).history()).isNotEqualTo(new Run(1, 2).history());
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void readerOfAllChangesKnowsTheFullState(long seed) {
    Run run = new Run(seed, seed);
    SortedMap<AttemptId, ObservedWorkload> known = new TreeMap<>();
    long revision = 0;
    for (int i = 0; i < CALLS; i++) {
      run.call();
      WorkloadView changes = run.sim.cluster.workloadsSince(revision);
      if (changes.complete()) {
        known.clear();
      }
      known.putAll(changes.workloads());
      known.values().removeIf(ObservedWorkload::empty);
      revision = changes.revision();
      assertThat(known).isEqualTo(run.sim.cluster.workloadsSince(0).workloads());
    }
  }

  /** Random calls, and the visible state after each of them. */
  private static final class Run {
    private final SplittableRandom random;
    private final VirtualCluster sim;
    private final List<LaunchOrder> orders = new ArrayList<>();

    Run(long calls, long seed) {
      random = new SplittableRandom(calls);
      sim = new VirtualCluster(seed, new FleetPool(NODES, 8, "H100", 2, 1));
    }

    List<String> history() {
      List<String> seen = new ArrayList<>();
      long revision = 0;
      for (int i = 0; i < CALLS; i++) {
        call();
        WorkloadView view = sim.cluster.workloadsSince(revision);
        revision = view.revision();
        seen.add(view + " " + sim.cluster.inventory() + " " + sim.cluster.processes());
      }
      return seen;
    }

    private void call() {
      String node = "sim-gpu-%04d".formatted(random.nextInt(NODES));
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> launch();
        case 3 -> any().ifPresent(o -> sim.stop(o, Duration.ofSeconds(random.nextInt(10))));
        case 4 -> any().ifPresent(sim::retire);
        case 5 -> sim.cluster.loseNode(node);
        case 6, 7 -> sim.cluster.returnNode(node);
        case 8 -> sim.cluster.rebootNode(node);
        case 9 -> sim.cluster.partition(random.nextInt(3) == 0);
        default -> sim.advance(Duration.ofMillis(random.nextInt(20_000)));
      }
    }

    private void launch() {
      String outcome = OUTCOMES.get(random.nextInt(OUTCOMES.size()));
      LaunchOrder order =
          sim.order(
              job()
                  .workers(1 + random.nextInt(4))
                  .annotation("sim.fairlead.dev/outcome", outcome)
                  .annotation("sim.fairlead.dev/run-for", random.nextInt(60) + "s"));
      orders.add(order);
      sim.apply(order);
    }

    private Optional<LaunchOrder> any() {
      return orders.isEmpty()
          ? Optional.empty()
          : Optional.of(orders.get(random.nextInt(orders.size())));
    }
  }
}
