package dev.fairlead.fleet.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reports and orders of nodes in every {@link InventoryStore}. */
public abstract class InventoryStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  /** Fails when the absence of a returned node is lost. */
  @Test
  void returnedNodeRestartsItsShownSinceTime() {
    ClusterId cluster = world.cluster().id();
    NodeReport one = NodeReports.node("one").build();
    NodeReport other = NodeReports.node("other").build();
    stores.inventory().report(cluster, List.of(one, other));
    Map<String, Instant> first = stores.inventory().shownSince(cluster, List.of("one", "none"));
    assertThat(first).containsOnlyKeys("one");
    stores.inventory().report(cluster, List.of(other));
    assertThat(stores.inventory().shownSince(cluster, List.of("one"))).isEmpty();
    Instant left = stores.supplies().now();

    stores.inventory().report(cluster, List.of(one, NodeReports.node("other").cordoned().build()));

    List<String> both = List.of("one", "other");
    Map<String, Instant> then = stores.inventory().shownSince(cluster, both);
    assertThat(then.get("one")).isAfterOrEqualTo(left);
    assertThat(then.get("other")).isEqualTo(first.get("one"));
  }

  @Test
  void reportedNodeIsReadBack() {
    NodeReport report =
        NodeReports.node("gpu-9")
            .gpus(2)
            .foreign(ResourceVector.of(500, 100, 0, 2))
            .topology("rack", "r1")
            .bootId("boot-9")
            .build();

    assertThat(reportWith(report)).isEqualTo(1);

    Node node = world.node("gpu-9");
    assertThat(node.state()).isEqualTo(NodeState.ACTIVE);
    assertThat(node.allocatable()).isEqualTo(report.allocatable());
    assertThat(node.foreign()).isEqualTo(report.foreign());
    assertThat(node.allocated()).isEqualTo(ResourceVector.ZERO);
    assertThat(node.topology()).isEqualTo(report.topology());
    assertThat(node.bootId()).isEqualTo("boot-9");
    assertThat(node.gpus()).isEqualTo(report.gpus());
    assertThat(stores.inventory().node(node.id())).contains(node);
  }

  @Test
  void repeatedReportChangesNothing() {
    Node before = world.node("node-1");

    assertThat(reportWith()).isZero();
    assertThat(world.node("node-1")).isEqualTo(before);
  }

  @Test
  void changedNodeRetainsItsIdAndGetsANewVersion() {
    Node before = world.node("node-1");

    int changed =
        world.report(
            NodeReports.node("node-1").foreign(ResourceVector.of(1000, 0, 0, 1)).build(),
            NodeReports.node("node-2").build());

    assertThat(changed).isEqualTo(1);
    Node after = world.node("node-1");
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.version()).isGreaterThan(before.version());
    assertThat(after.foreign().cpuMilli()).isEqualTo(1000);
  }

  @Test
  void aReportMovesANodeBetweenActiveCordonedAndUnreachable() {
    world.report(
        NodeReports.node("node-1").cordoned().build(),
        NodeReports.node("node-2").notReady().build());
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.CORDONED);
    assertThat(world.node("node-2").state()).isEqualTo(NodeState.UNREACHABLE);

    world.report(NodeReports.node("node-1").notReady().build(), NodeReports.node("node-2").build());
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.UNREACHABLE);
    assertThat(world.node("node-2").state()).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when a machine that its provider removes gets new members. */
  @Test
  void leavingNodeIsCordonedWithItsTaintUntilItStays() {
    world.report(NodeReports.node("node-1").leaving().build(), NodeReports.node("node-2").build());
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.CORDONED);
    assertThat(world.node("node-1").taints().getFirst().key()).isEqualTo(Taint.LEAVING);

    world.report(NodeReports.node("node-1").build(), NodeReports.node("node-2").build());
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.ACTIVE);
  }

  @Test
  void unreportedNodeIsRetired() {
    Node gone = world.node("node-2");

    assertThat(world.report(NodeReports.node("node-1").build())).isEqualTo(1);

    assertThat(stores.inventory().nodes(world.cluster().id()))
        .extracting(Node::name)
        .containsExactly("node-1");
    assertThat(stores.inventory().node(gone.id())).map(Node::state).contains(NodeState.RETIRED);
    assertThat(world.report(NodeReports.node("node-1").build())).isZero();
  }

  @Test
  void nodeOfADeletedMachineIsRetired() {
    world.report(
        NodeReports.node("node-1").build(), NodeReports.node("node-2").machineGone().build());

    assertThat(stores.inventory().nodes(world.cluster().id()))
        .extracting(Node::name)
        .containsExactly("node-1");
  }

  @Test
  void returnedNodeIsActiveWithItsAllocations() {
    // Fails when a returning node gets a new row: the allocations of its live attempts would be
    // assigned twice.
    world.run(world.place(world.submit(Specs.job("holds").gpus(2)), 0, "node-2"));
    Node before = world.node("node-2");
    world.report(NodeReports.node("node-1").build());

    reportWith();

    Node after = world.node("node-2");
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.state()).isEqualTo(NodeState.ACTIVE);
    assertThat(after.allocated()).isEqualTo(before.allocated());
    assertThat(after.gpus())
        .extracting(Gpu::allocatedMilli)
        .containsExactly(1000, 1000, 0, 0, 0, 0, 0, 0);
  }

  @Test
  void reportRetainsAllocationsOfAttempts() {
    world.run(world.place(world.submit(Specs.job("holds").gpus(2)), 0, "node-1"));
    Node before = world.node("node-1");

    world.report(
        NodeReports.node("node-1").bootId("boot-2").build(), NodeReports.node("node-2").build());

    assertThat(world.node("node-1").allocated()).isEqualTo(before.allocated());
    assertThat(world.node("node-1").gpus()).isEqualTo(before.gpus());
    assertThat(world.node("node-1").bootId()).isEqualTo("boot-2");
  }

  @Test
  void runningAttemptKeepsItsAllocationAfterTopologyRemovalAndReleasesItOnce() {
    world.report(
        NodeReports.node("node-1").topology("rack", "r1").build(),
        NodeReports.node("node-2").build());
    Attempt holds = world.run(world.place(world.submit(Specs.job("holds").gpus(2)), 0, "node-1"));
    Node before = world.node("node-1");
    assertThat(before.topology()).containsEntry("rack", "r1");

    world.report(NodeReports.node("node-1").build(), NodeReports.node("node-2").build());

    assertThat(world.node("node-1").topology()).doesNotContainKey("rack");
    assertThat(world.node("node-1").allocated()).isEqualTo(before.allocated());
    assertThat(world.node("node-1").gpus()).isEqualTo(before.gpus());
    world.succeed(holds);
    assertThat(world.node("node-1").allocated()).isEqualTo(ResourceVector.ZERO);
    assertThat(world.node("node-1").gpus()).allMatch(gpu -> gpu.allocatedMilli() == 0);
  }

  @Test
  void drainingAndQuarantinedNodesKeepTheirState() {
    stores.moveNode(world.node("node-1").id(), NodeState.DRAINING);
    stores.moveNode(world.node("node-2").id(), NodeState.QUARANTINED);

    world.report(NodeReports.node("node-1").build(), NodeReports.node("node-2").cordoned().build());

    assertThat(world.node("node-1").state()).isEqualTo(NodeState.DRAINING);
    assertThat(world.node("node-2").state()).isEqualTo(NodeState.QUARANTINED);
  }

  @Test
  void failedDeviceIsStoredAndRecovers() {
    world.report(
        NodeReports.node("node-1").gpu(3, GpuState.FAILED).build(),
        NodeReports.node("node-2").build());
    assertThat(world.node("node-1").gpus().get(3).state()).isEqualTo(GpuState.FAILED);

    reportWith();
    assertThat(world.node("node-1").gpus().get(3).state()).isEqualTo(GpuState.HEALTHY);
  }

  private static String uuid(int gpu) {
    return "GPU-00000000-0000-0000-0000-00000000000" + gpu;
  }

  private void reportDevices(String... uuids) {
    world.report(
        NodeReports.node("node-1").devices(uuids).build(), NodeReports.node("node-2").build());
  }

  /** Fails when an allocation refers to another device after the removal of a device before it. */
  @Test
  void deviceRetainsItsSlotAndAllocationWhenOthersChange() {
    reportDevices(uuid(0), uuid(1), uuid(2));
    world.run(world.place(world.submit(Specs.job("holds").gpus(2)), 0, "node-1"));

    reportDevices(uuid(1), uuid(9), uuid(2));

    assertThat(world.node("node-1").gpus())
        .extracting(Gpu::index, Gpu::serial, Gpu::state, Gpu::allocatedMilli)
        .startsWith(
            tuple(0, uuid(0), GpuState.FAILED, 1000),
            tuple(1, uuid(1), GpuState.HEALTHY, 1000),
            tuple(2, uuid(2), GpuState.HEALTHY, 0),
            tuple(3, uuid(9), GpuState.HEALTHY, 0));
  }

  @Test
  void unreportedDeviceHasNoCapacity() {
    world.report(NodeReports.node("node-1").gpus(6).build(), NodeReports.node("node-2").build());

    assertThat(world.node("node-1").gpus().stream().mapToInt(Gpu::freeMilli).sum()).isEqualTo(6000);
  }

  @Test
  void nodesAreListedByClusterThenName() {
    assertThat(stores.inventory().nodes(world.cluster().id()))
        .extracting(Node::name)
        .containsExactly("node-1", "node-2");
    TestWorld other = TestWorld.in(stores);

    List<Node> all = stores.inventory().nodes(null);

    assertThat(all).containsAll(stores.inventory().nodes(world.cluster().id()));
    assertThat(all).containsAll(stores.inventory().nodes(other.cluster().id()));
    assertThat(all).extracting(Node::cluster).isSorted();
  }

  @Test
  void nodesAreFoundByNameAndThoseWithGpusAreCounted() {
    // Fails when nodes of another cluster or retired ones are found or counted.
    InventoryStore inventory = stores.inventory();
    Node one = world.node("node-1");
    ClusterId cluster = one.cluster();
    NodeReport plain = NodeReports.node("plain").gpus(0).build();
    NodeReport gone = NodeReports.node("gone").build();
    NodeReport stays = NodeReports.node("node-1").build();
    inventory.report(cluster, List.of(stays, plain, gone));
    inventory.report(cluster, List.of(stays, plain));

    assertThat(inventory.named(cluster, List.of("plain", "node-1", "gone", "no-such-node")))
        .containsExactlyElementsOf(inventory.nodes(cluster));
    assertThat(inventory.named(cluster, List.of("plain")))
        .extracting(Node::name)
        .containsExactly("plain");
    assertThat(inventory.named(new ClusterId(stores.ids().next()), List.of("plain"))).isEmpty();
    assertThat(inventory.named(List.of("plain", "gone"))).hasSize(1);
    FleetSize size = new FleetSize(2, 1, one.gpus().size());
    assertThat(inventory.size(cluster)).isEqualTo(size);
    assertThat(inventory.sizes()).containsEntry(cluster, size);
    assertThat(inventory.size(new ClusterId(stores.ids().next()))).isEqualTo(FleetSize.EMPTY);
  }

  @Test
  void pagesOfNodesAddUpToTheList() {
    // Fails when a page repeats or skips a node, or ignores the filter by cluster, state or model.
    InventoryStore inventory = stores.inventory();
    ClusterId cluster = world.cluster().id();
    TestWorld other = TestWorld.in(stores);
    other.report(NodeReports.node("node-1").gpus(0).build(), NodeReports.node("node-3").build());
    inventory.order(other.node("node-3").id(), NodeOrder.CORDON);

    assertThat(pages(null, Set.of(), null)).isEqualTo(inventory.nodes(null));
    assertThat(pages(cluster, Set.of(), null)).isEqualTo(inventory.nodes(cluster));
    assertThat(pages(other.cluster().id(), Set.of(NodeState.CORDONED), null))
        .containsExactly(other.node("node-3"));
    assertThat(pages(null, Set.of(NodeState.RETIRED), null)).isEmpty();
    assertThat(pages(null, Set.of(), Flavor.CPU)).contains(other.node("node-1"));
    assertThat(pages(cluster, Set.of(), Flavor.CPU)).isEmpty();
  }

  private List<Node> pages(
      @Nullable ClusterId cluster, Set<NodeState> states, @Nullable String model) {
    List<Node> all = new ArrayList<>();
    NodePage.Place after = null;
    while (true) {
      Set<String> models = model == null ? null : Set.of(model);
      List<Node> page = stores.inventory().page(new NodePage(cluster, states, models, after, 1));
      if (page.isEmpty()) {
        return all;
      }
      all.addAll(page);
      after = new NodePage.Place(page.getLast().cluster(), page.getLast().name());
    }
  }

  @Test
  void cordonByFairleadSurvivesLaterReports() {
    // Fails when the order is only a state: the next report would make the node ACTIVE.
    NodeId node = world.node("node-1").id();
    assertThat(ordered(node, NodeOrder.CORDON)).isEqualTo(NodeState.CORDONED);
    world.report(NodeReports.node("node-1").bootId("again").build());
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.CORDONED);
    assertThat(cordons()).containsExactly(new CordonedNode(node, "node-1", Cordon.ORDERED));

    assertThat(ordered(node, NodeOrder.UNCORDON)).isEqualTo(NodeState.CORDONED);
    assertThat(cordons()).containsExactly(new CordonedNode(node, "node-1", Cordon.LIFTED));
    world.report(NodeReports.node("node-1").bootId("again").build());
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.ACTIVE);

    ordered(node, NodeOrder.SETTLE);
    assertThat(cordons()).isEmpty();
  }

  @Test
  void drainedNodeIsCordonedWhenItsDrainEnds() {
    NodeId node = world.node("node-1").id();
    assertThat(ordered(node, NodeOrder.DRAIN)).isEqualTo(NodeState.DRAINING);
    world.report(NodeReports.node("node-1").bootId("again").build());
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.DRAINING);

    assertThat(ordered(node, NodeOrder.END_DRAIN)).isEqualTo(NodeState.CORDONED);
    ordered(node, NodeOrder.SETTLE);
    assertThat(cordons()).as("nobody has lifted it").hasSize(1);
    assertThat(stores.inventory().order(new NodeId(stores.ids().next()), NodeOrder.CORDON))
        .isEmpty();
  }

  /** Fails when a batch order differs from single orders, or a missing node stops it. */
  @Test
  void bulkOrderEqualsAnOrderPerNode() {
    reportWith(NodeReports.node("gone").build(), NodeReports.node("other").build());
    NodeId second = world.node("node-2").id();
    List<NodeId> many =
        List.of(
            world.node("gone").id(),
            second,
            world.node("node-1").id(),
            new NodeId(stores.ids().next()));
    reportWith(NodeReports.node("other").build());
    ordered(second, NodeOrder.CORDON);

    stores.inventory().order(many, NodeOrder.QUARANTINE);
    stores.inventory().order(List.of(), NodeOrder.QUARANTINE);
    assertThat(states()).containsExactly("QUARANTINED", "QUARANTINED", "ACTIVE");

    stores.inventory().order(many, NodeOrder.RELEASE);
    assertThat(states()).containsExactly("CORDONED", "CORDONED", "ACTIVE");
    assertThat(cordons()).containsExactly(new CordonedNode(second, "node-2", Cordon.ORDERED));
  }

  private List<String> states() {
    return stores.inventory().nodes(world.cluster().id()).stream()
        .map(node -> node.state().name())
        .toList();
  }

  private NodeState ordered(NodeId node, NodeOrder order) {
    return stores.inventory().order(node, order).orElseThrow().state();
  }

  private List<CordonedNode> cordons() {
    return stores.inventory().cordons(world.cluster().id());
  }

  private int reportWith(NodeReport... more) {
    List<NodeReport> reports = new ArrayList<>(List.of(more));
    reports.add(NodeReports.node("node-1").build());
    reports.add(NodeReports.node("node-2").build());
    return world.report(reports.toArray(NodeReport[]::new));
  }
}
