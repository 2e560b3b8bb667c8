package dev.fairlead.workload.service.contact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.health.ConditionIntake;
import dev.fairlead.health.HealthStore;
import dev.fairlead.health.Incident;
import dev.fairlead.health.Quarantine;
import dev.fairlead.health.Releases;
import dev.fairlead.health.service.Isolation;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodeReport;
import dev.fairlead.node.NodeReports;
import dev.fairlead.node.NodeState;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What conditions of nodes close, through the intake, on the in-memory stores. */
class ConditionWatchTest {
  private static final Instant SINCE = Instant.parse("2026-03-01T12:00:00Z");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HealthStore health = stores.health();
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private long nanos;
  private ConditionWatch watch = watch();

  private ConditionWatch watch() {
    Isolation isolation = new Isolation(health, stores.inventory(), stores.ids());
    return new ConditionWatch(
        world.cluster().id(),
        new ConditionIntake(stores.inventory(), health, isolation, stores.ids()),
        stores.transactions(),
        () -> nanos);
  }

  /** The cluster lists its nodes, and the watch looks at them when its pause is over. */
  private boolean look(NodeReport... nodes) {
    nanos += ConditionWatch.PAUSE.toNanos();
    return lookAgain(nodes);
  }

  private boolean lookAgain(NodeReport... nodes) {
    world.report(nodes);
    SortedSet<NodeId> out = new TreeSet<>();
    standing().forEach(q -> out.add(q.node()));
    return watch.look(lease, List.of(nodes), out, stores.clock().instant());
  }

  private List<Quarantine> standing() {
    return health.standing(world.cluster().id());
  }

  private List<Incident> incidents() {
    return health.incidents(null, null, 1_000);
  }

  private static NodeReport well(String name) {
    return NodeReports.node(name).build();
  }

  private static NodeReport sick(String name, String type, Instant since) {
    return NodeReports.node(name).fault(type, "True", since).build();
  }

  private NodeState state(String node) {
    return world.node(node).state();
  }

  /** Fails when a condition that stays is an event at each look. */
  @Test
  void aConditionIsolatesItsNodeOnceUntilItIsOver() {
    NodeReport sick = sick("a", "GPUMissing", SINCE);
    assertThat(look(sick, well("b"))).isTrue();
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
    Incident incident = incidents().getFirst();
    assertThat(incident.text())
        .isEqualTo("GPUMissing is True (fewer GPUs than the machine has, Test) on node a");
    assertThat(incident.openedAt()).isEqualTo(SINCE);
    assertThat(health.known(world.cluster().id(), List.of("condition/a/GPUMissing/" + SINCE)))
        .hasSize(1);

    look(sick, well("b"));
    assertThat(look(sick, well("b"))).as("nothing is written of it again").isFalse();
    watch = watch();
    look(sick, well("b"));
    assertThat(incidents()).as("nor by the next process").containsExactly(incident);

    look(well("a"), well("b"));
    look(well("a"), well("b"));
    assertThat(standing()).isEmpty();
    assertThat(incidents().getFirst().endedAt()).isNotNull();
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when a reboot, which empties the log that the agent reads, repairs what is broken. */
  @Test
  void aFaultThatOutlivesItsConditionStays() {
    look(sick("a", "XIDErrors", SINCE), well("b"));
    look(well("a"), well("b"));
    look(well("a"), well("b"));
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when the condition that an operator has looked at isolates the node again. */
  @Test
  void aReleaseHoldsUntilTheConditionComesAgain() {
    NodeReport sick = sick("a", "GPUMissing", SINCE);
    look(sick, well("b"));
    end(q -> "released by olga", stores.clock().instant());
    watch = watch();
    look(sick, well("b"));
    look(sick, well("b"));
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);

    Instant later = stores.clock().instant().plusSeconds(1);
    look(sick("a", "GPUMissing", later), well("b"));
    assertThat(state("a"))
        .as("it came again, by a clock that is ahead")
        .isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when a node is in use again after a day although its condition never went. */
  @Test
  void aConditionThatOutlastsItsQuarantineIsolatesAgain() {
    NodeReport sick = sick("a", "GPUMissing", SINCE);
    look(sick, well("b"));
    look(sick, well("b"));
    end(Quarantine::over, Objects.requireNonNull(standing().getFirst().until()));
    look(sick, well("b"));
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
    assertThat(incidents()).hasSize(2);
  }

  private void end(Function<Quarantine, String> why, Instant at) {
    stores
        .transactions()
        .runFenced(lease, () -> Releases.end(health, stores.inventory(), standing(), why, at));
  }

  /**
   * Of 1,000 nodes at most 50 are isolated, and at each turn at most a hundred are written. Fails
   * when one of the two bounds is left out, or when those that wait are never asked again.
   */
  @Test
  void aClusterWhoseNodesAllTurnBadIsBounded() {
    NodeReport[] all =
        IntStream.range(0, 1_000)
            .mapToObj(i -> sick("n" + i, "GPUMissing", SINCE.plusSeconds(i)))
            .toArray(NodeReport[]::new);
    assertThat(look(all)).isTrue();
    assertThat(standing()).hasSize(50);
    assertThat(incidents()).hasSize(ConditionWatch.MOST);
    assertThat(lookAgain(all)).as("before the pause is over").isFalse();
    assertThat(incidents().getFirst().isolation()).startsWith("not isolated: 50 of 1000 GPU nodes");

    for (int i = 0; i < 5; i++) {
      look(all);
    }
    assertThat(standing()).hasSize(50);
    assertThat(incidents()).hasSize(ConditionWatch.MOST + 50);

    all[0] = well("n0");
    look(all);
    look(all);
    assertThat(standing()).as("another one has its room").hasSize(50);
    assertThat(state("n0")).isEqualTo(NodeState.ACTIVE);
    assertThat(state("n50")).isEqualTo(NodeState.QUARANTINED);
  }
}
