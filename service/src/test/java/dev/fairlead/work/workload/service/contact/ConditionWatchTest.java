package dev.fairlead.work.workload.service.contact;

import static dev.fairlead.kernel.text.Texts.reason;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.Recovery;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.Releases;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Nodes isolated by their conditions, through the intake, on the in-memory stores. */
class ConditionWatchTest {
  private static final Instant SINCE = Instant.parse("2026-03-01T12:00:00Z");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HealthStore health = stores.health();
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private long nanos;
  private boolean commits = true;
  private ConditionWatch watch = watch();

  /** Transactions of the stores that are rolled back while commits fail. */
  private final class Failing implements Transactions {
    @Override
    public <T> T call(Supplier<T> work) {
      return stores.transactions().call(work);
    }

    @Override
    public <T> T callFenced(HeldLease held, Supplier<T> work) {
      return stores
          .transactions()
          .callFenced(
              held,
              () -> {
                T result = work.get();
                if (!commits) {
                  throw new IllegalStateException("the database went away");
                }
                return result;
              });
    }

    @Override
    public <T> T read(Supplier<T> work) {
      return stores.transactions().read(work);
    }
  }

  private ConditionWatch watch() {
    return new ConditionWatch(
        world.cluster().id(), ServiceParts.conditions(stores, health), new Failing(), () -> nanos);
  }

  /** The cluster lists its nodes, and the watch checks them after its pause. */
  private boolean look(NodeReport... nodes) {
    nanos += ConditionWatch.PAUSE.toNanos();
    return lookAgain(nodes);
  }

  private boolean lookAgain(NodeReport... nodes) {
    world.report(nodes);
    return seen(List.of(nodes));
  }

  /** Checks nodes that are not in the inventory. */
  private boolean lookAt(List<NodeReport> nodes) {
    nanos += ConditionWatch.PAUSE.toNanos();
    return seen(nodes);
  }

  /** The node has no condition for the required time, and its neighbour is healthy. */
  private void clear(String name) {
    NodeReport[] nodes = {well(name), well(name.equals("a") ? "b" : "a")};
    look(nodes);
    stores.advance(Recovery.LEAST);
    look(nodes);
    lookAgain(nodes);
  }

  private boolean seen(List<NodeReport> nodes) {
    SortedSet<NodeId> out = new TreeSet<>();
    standing().forEach(q -> out.add(q.node()));
    return watch.look(lease, nodes, out, stores.clock().instant());
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

  /** Fails when a permanent condition is an event at each check. */
  @Test
  void conditionIsolatesItsNodeOnceUntilItClears() {
    Tenant first =
        new Tenant(new TenantId(stores.ids().next()), Tenant.FIRST, "", Tenant.State.ACTIVE, 1);
    stores.transactions().run(() -> stores.tenants().insert(first));
    NodeReport sick = sick("a", "GPUMissing", SINCE);
    assertThat(look(sick, well("b"))).isTrue();
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
    Incident incident = incidents().getFirst();
    assertThat(incident.text())
        .satisfies(reason("condition-watch.gpumissing-true-fewer-gpus", "GPUMissing"));
    assertThat(incident.openedAt()).isEqualTo(SINCE);
    assertThat(health.known(world.cluster().id(), List.of("condition/a/GPUMissing/" + SINCE)))
        .hasSize(1);

    look(sick, well("b"));
    assertThat(look(sick, well("b"))).as("nothing is written of it again").isFalse();
    watch = watch();
    look(sick, well("b"));
    assertThat(incidents()).as("nor by the next process").containsExactly(incident);

    clear("a");
    assertThat(standing()).isEmpty();
    assertThat(incidents().getFirst().cleared()).isTrue();
    assertThat(stores.auditEntries())
        .as("the end is in the audit")
        .filteredOn(row -> row.operation().equals("releaseNode"))
        .singleElement()
        .matches(row -> row.subject().equals(world.node("a").id().text()))
        .matches(row -> row.actor().name().startsWith("conditions/"));
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when a reboot, which empties the log of the agent, ends a permanent fault. */
  @Test
  void faultThatOutlivesItsConditionStays() {
    look(sick("a", "XIDErrors", SINCE), well("b"));
    clear("a");
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when the end of a condition with a stronger repair hides a permanent fault. */
  @Test
  void faultSurvivesAClearedCondition() {
    look(sick("a", "XIDErrors", SINCE), well("b"));
    look(
        NodeReports.node("a")
            .fault("XIDErrors", "True", SINCE)
            .fault("GPUMissing", "True", SINCE.plusSeconds(9))
            .build(),
        well("b"));
    assertThat(incidents().getFirst().cause())
        .startsWith("GPUMissing is True (")
        .contains("; also XIDErrors is True (");
    clear("a");
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when an event without isolation takes a healthy node out of service. */
  @Test
  void countedEventIsolatesNoNode() {
    look(sick("a", "GPUMissing", SINCE), well("b"));
    Incident open = incidents().getFirst();
    Instant at = open.openedAt().plusSeconds(1);
    HealthEvent counted = new HealthEvent("x", at, "a", null, null, 45, "");
    health.write(open.joined(counted, Judgement.of(XidTable.SHIPPED, counted, List.of()), false));
    clear("a");
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when the end of a condition counts as a release by an operator. */
  @Test
  void recurringConditionIsolatesAgainWhateverTheClockOfItsNode() {
    look(sick("a", "GPUMissing", SINCE), well("b"));
    clear("a");
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
    look(sick("a", "GPUMissing", SINCE.plusSeconds(1)), well("b"));
    assertThat(state("a")).as("stamped long before the end").isEqualTo(NodeState.QUARANTINED);
    clear("a");
    stores.advance(Recovery.LEAST);
    look(well("a"), well("b"));
    look(well("a"), well("b"));
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
    look(sick("a", "GPUMissing", SINCE.plusSeconds(1)), well("b"));
    assertThat(state("a")).as("in the same second").isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when a node returns to use as soon as its condition clears, each time. */
  @Test
  void flappingConditionKeepsItsNodeOut() {
    for (int i = 0; i < 4; i++) {
      look(sick("a", "GPUMissing", SINCE.plusSeconds(i)), well("b"));
      look(well("a"), well("b"));
      stores.advance(Recovery.LEAST.minusSeconds(1));
      look(well("a"), well("b"));
      assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
    }
    clear("a");
    assertThat(incidents()).hasSize(1);
    look(sick("a", "GPUMissing", SINCE.plusSeconds(9)), well("b"));
    clear("a");
    assertThat(state("a")).as("it came back: longer").isEqualTo(NodeState.QUARANTINED);
    stores.advance(Recovery.LEAST);
    look(well("a"), well("b"));
    look(well("a"), well("b"));
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when only the process that saw a refused isolation knows it. */
  @Test
  void nextProcessEndsIncidentsWithoutIsolation() {
    look(sick("a", "GPUMissing", SINCE), sick("b", "GPUMissing", SINCE.plusSeconds(1)));
    assertThat(standing()).hasSize(1);
    watch = watch();
    clear("b");
    assertThat(incidents()).allMatch(Incident::cleared);
  }

  /** Fails when the result of a rolled back transaction counts as stored. */
  @Test
  void failedTransactionLosesNoCondition() {
    commits = false;
    assertThatThrownBy(() -> look(sick("a", "GPUMissing", SINCE), well("b")))
        .isInstanceOf(IllegalStateException.class);
    assertThat(incidents()).isEmpty();
    commits = true;
    look(sick("a", "GPUMissing", SINCE), well("b"));
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when unknown names are queried in each pass. */
  @Test
  void nodesMissingFromTheInventoryDelayNoOther() {
    List<NodeReport> shown =
        IntStream.range(0, ConditionWatch.MOST)
            .mapToObj(i -> sick("lacking" + i, "GPUMissing", SINCE))
            .collect(toCollection(ArrayList::new));
    shown.add(sick("a", "GPUMissing", SINCE.plusSeconds(1)));
    world.report(well("a"), well("b"));
    for (int i = 0; i < 2; i++) {
      assertThat(lookAt(shown)).isTrue();
    }
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
    assertThat(lookAt(shown)).as("nothing is asked").isFalse();
  }

  /** Fails when nodes without GPUs use up the limit for GPU faults, or have no limit. */
  @Test
  void nodesWithoutGpusHaveABoundOfTheirOwn() {
    NodeReport[] all =
        IntStream.range(0, 8)
            .mapToObj(i ->
                NodeReports.node("cpu" + i)
                    .gpus(0)
                    .fault("ReadonlyFilesystem", "True", SINCE.plusSeconds(i))
                    .build())
            .toArray(NodeReport[]::new);
    NodeReport[] more = Arrays.copyOf(all, 9);
    more[8] = sick("gpu", "GPUMissing", SINCE.plusSeconds(60));
    look(more);
    assertThat(standing()).hasSize(3);
    assertThat(state("gpu")).isEqualTo(NodeState.QUARANTINED);
    assertThat(incidents())
        .extracting(Incident::isolation)
        .anySatisfy(text ->
            assertThat(text)
                .satisfies(reason("condition-watch.isolated-nodes-without-gpus", 2, 8)));
  }

  /**
   * Fails when one limit applies to both kinds: the circuit breaker stops most of the older events,
   * which are retried in each pass.
   */
  @Test
  void nodesWithoutGpusStoppedByTheBreakerDelayNoGpuFault() {
    List<NodeReport> all =
        IntStream.range(0, 3 * ConditionWatch.MOST)
            .mapToObj(i ->
                NodeReports.node("cpu" + i)
                    .gpus(0)
                    .fault("ReadonlyFilesystem", "True", SINCE.plusSeconds(i))
                    .build())
            .collect(toCollection(ArrayList::new));
    all.add(sick("gpu", "GPUMissing", SINCE.plusSeconds(9_999)));
    look(all.toArray(NodeReport[]::new));
    assertThat(state("gpu")).isEqualTo(NodeState.QUARANTINED);
    assertThat(incidents()).as("the others stay bounded").hasSize(ConditionWatch.MOST + 1);
  }

  /** Fails when an incident of a GPU decides about the incident of the machine. */
  @Test
  void newGpuFaultDoesNotUndoAReleaseOfItsMachine() {
    NodeReport sick = sick("a", "GPUMissing", SINCE);
    look(sick, well("b"));
    end(q -> "released by olga", stores.clock().instant());
    HealthEvent broken = new HealthEvent("x", SINCE, "a", "GPU-1", null, 79, "fallen off the bus");
    Judgement fatal = Judgement.of(XidTable.SHIPPED, broken, List.of());
    IncidentId id = new IncidentId(stores.ids().next());
    health.write(
        Incident.opened(id, world.node("a"), "GPU-1", broken, fatal)
            .isolation(Incident.CLEARED)
            .ended(stores.clock().instant()));
    watch = watch();
    look(sick, well("b"));
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when the end of a GPU's quarantine counts as a release of its machine. */
  @Test
  void endOfAGpuQuarantineDoesNotCountAsAReleaseOfItsMachine() {
    look(well("a"), well("b"));
    HealthEvent broken = new HealthEvent("x", SINCE, "a", "GPU-1", null, 79, "fallen off the bus");
    Judgement fatal = Judgement.of(XidTable.SHIPPED, broken, List.of());
    IncidentId id = new IncidentId(stores.ids().next());
    Incident gpu = Incident.opened(id, world.node("a"), "GPU-1", broken, fatal);
    health.write(gpu.ended(stores.clock().instant()));
    look(sick("a", "GPUMissing", SINCE), well("b"));
    assertThat(state("a")).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when the next supervisor knows only incidents of nodes that it sees at its start. */
  @Test
  void machineThatReturnsHealthyIsUsedAgain() {
    look(sick("a", "GPUMissing", SINCE), well("b"));
    watch = watch();
    look(well("b"));
    clear("a");
    assertThat(incidents()).allMatch(Incident::cleared);
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when a supervisor that acts again uses the incidents of its earlier time. */
  @Test
  void incidentsOfAnotherSupervisorsTimeAreRead() {
    look(well("a"), well("b"));
    ConditionWatch before = watch;
    watch = watch();
    look(sick("a", "GPUMissing", SINCE), well("b"));
    watch = before;
    watch.forget();
    clear("a");
    assertThat(state("a")).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when the time doubles without bound, or returns of the day before yesterday count. */
  @Test
  void flappingNodeReturnsWithinTwoHours() {
    look(sick("a", "GPUMissing", SINCE), well("b"));
    Instant now = stores.clock().instant();
    Incident over = incidents().getFirst().isolation(Incident.CLEARED).ended(now.minusSeconds(1));
    assertThat(Recovery.after(Collections.nCopies(4, over), now))
        .isEqualTo(Recovery.LEAST.multipliedBy(16));
    assertThat(Recovery.after(Collections.nCopies(Recovery.INCIDENTS, over), now))
        .isEqualTo(Recovery.MOST);
    Incident old = over.ended(now.minus(Recovery.WITHIN));
    assertThat(Recovery.after(Collections.nCopies(Recovery.INCIDENTS, old), now))
        .isEqualTo(Recovery.LEAST);
  }

  /** Fails when a condition that an operator has acknowledged isolates the node again. */
  @Test
  void releaseIsValidUntilTheConditionRecurs() {
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
        .isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when a node is in use again after a day although its condition never cleared. */
  @Test
  void conditionThatOutlastsItsQuarantineIsolatesAgain() {
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
   * Of 1,000 nodes at most 50 are isolated, and each pass writes at most a hundred. Fails without
   * one of the two bounds, or when waiting conditions are never handled.
   */
  @Test
  void isolationIsBoundedWhenAllNodesOfAClusterAreUnhealthy() {
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
    stores.advance(Recovery.LEAST);
    look(all);
    look(all);
    assertThat(standing()).as("another one has its room").hasSize(50);
    assertThat(state("n0")).isEqualTo(NodeState.ACTIVE);
    assertThat(state("n50")).isEqualTo(NodeState.QUARANTINED);
  }
}
