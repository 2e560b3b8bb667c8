package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.supply.SuppliedPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes that a provisioner could add: the requests, and the explanations of jobs. */
class SuppliedNodesTest {
  private static final PoolId BURST = new PoolId(new UUID(3, 1));
  private static final PoolId SPOT = new PoolId(new UUID(4, 1));
  private static final int ROOM = 4;
  private final Scene scene = new Scene();
  private QuotaNodeId queue;

  @BeforeEach
  void aReservedNodeAndAPoolOfNone() {
    queue = scene.quotas.getFirst().id();
    scene.cluster("reserved").nodes(1, 8, "H100");
    empty("burst", CapacityType.ON_DEMAND);
    offer(BURST, "burst", CapacityType.ON_DEMAND, 0, null);
  }

  /** With a node of another model, so that its nodes are known. */
  private void empty(String name, CapacityType type) {
    scene.cluster(name, ClusterState.ACTIVE, type, false).nodes(1, 1, "A100");
  }

  private void offer(
      PoolId pool, String name, CapacityType type, int coming, @Nullable StockOut stockOut) {
    offer(pool, name, type, ROOM, coming, stockOut);
  }

  private void offer(
      PoolId pool,
      String name,
      CapacityType type,
      int maxNodes,
      int coming,
      @Nullable StockOut stockOut) {
    NodeKind kind =
        new NodeKind(
            "H100",
            8,
            80_000,
            type,
            ResourceVector.of(96_000, 1_000_000, 8_000, 110),
            new TreeMap<>());
    NodePool nodePool = new NodePool(name, null, Spares.NONE, PoolWindows.NONE);
    Instant since = coming == 0 ? null : Scene.NOW.minusSeconds(60);
    scene.offers.removeIf(other -> other.pool().equals(pool));
    scene.offers.add(
        new SupplyOffer(
            pool,
            nodePool,
            scene.clusters.stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .orElseThrow()
                .id(),
            kind,
            maxNodes - coming,
            coming,
            since,
            stockOut));
  }

  private Map<PoolId, Integer> wanted() {
    return SuppliedPlan.wanted(scene.world(), Snapshot.WORK_BUDGET);
  }

  private void jobs(int count) {
    for (int i = 0; i < count; i++) {
      scene.job("job-" + i).gpus(8);
    }
  }

  /** Fails when nodes are requested although the jobs start without them. */
  @Test
  void requestedNodesMatchTheWaitingJobs() {
    jobs(1);
    assertThat(wanted()).isEmpty();

    jobs(2);
    assertThat(wanted()).containsExactly(Map.entry(BURST, 2));
  }

  /** Fails when a node is requested again while it is being added, and so paid for twice. */
  @Test
  void incomingNodesAreNotRequestedAgain() {
    jobs(3);
    offer(BURST, "burst", CapacityType.ON_DEMAND, 2, null);
    assertThat(wanted()).isEmpty();

    jobs(4);
    assertThat(wanted()).containsExactly(Map.entry(BURST, 2));
  }

  /** Fails when a gang gets some nodes that it cannot start on. */
  @Test
  void gangLargerThanTheMaximumPoolRequestsNoNodes() {
    JobBuilder large = scene.job("large").gang(ROOM + 1).gpus(8);
    assertThat(wanted()).isEmpty();
    assertThat(scene.plan().first(large).reason()).isEqualTo(Reason.NEVER_FITS);

    scene.jobs.clear();
    JobBuilder fits = scene.job("fits").gang(ROOM).gpus(8);
    assertThat(wanted()).containsExactly(Map.entry(BURST, ROOM));
    assertThat(scene.plan().why(fits).blockers())
        .extracting(Blocker::reason)
        .doesNotContain(Reason.NEVER_FITS);
  }

  /** Fails when the bound of one request refuses a gang that the pool may hold, or splits it. */
  @Test
  void gangLargerThanOneRequestGetsAllItsNodes() {
    offer(BURST, "burst", CapacityType.ON_DEMAND, 128, 0, null);
    scene.job("large").gang(65).gpus(8);
    assertThat(wanted()).containsExactly(Map.entry(BURST, 65));

    scene.job("behind").gang(63).gpus(8);
    assertThat(wanted()).as("one after the other").containsExactly(Map.entry(BURST, 65));
    offer(BURST, "burst", CapacityType.ON_DEMAND, 128, 65, null);
    assertThat(wanted()).containsExactly(Map.entry(BURST, 63));
  }

  /** Fails when nodes for small jobs are requested without a bound at the same time. */
  @Test
  void concurrentJobsRequestTheirTotalOfNodes() {
    offer(BURST, "burst", CapacityType.ON_DEMAND, 128, 0, null);
    jobs(101);
    assertThat(wanted()).containsExactly(Map.entry(BURST, 64));
    offer(BURST, "burst", CapacityType.ON_DEMAND, 128, 64, null);
    assertThat(wanted()).containsExactly(Map.entry(BURST, 36));
  }

  /**
   * Fails when nodes are requested for a tier that is not open, or for a model that the pool does
   * not have.
   */
  @Test
  void onlyCurrentlyPermittedSupplyIsRequested() {
    scene.job("other").gpus(8, "B200");
    assertThat(wanted()).isEmpty();

    scene.jobs.clear();
    scene.routing(queue, tier(CapacityType.RESERVED, 0), tier(CapacityType.ON_DEMAND, 600));
    jobs(2);
    assertThat(wanted()).isEmpty();
  }

  private static RoutingPolicy.Tier tier(CapacityType type, int afterSeconds) {
    return new RoutingPolicy.Tier(
        List.of(type),
        List.of(),
        List.of(),
        Duration.ofSeconds(afterSeconds),
        null,
        RoutingPolicy.Order.FIXED);
  }

  @Test
  void jobReportsRequestedNodes() {
    jobs(1);
    JobBuilder waits = scene.job("waits").gpus(8);
    offer(BURST, "burst", CapacityType.ON_DEMAND, 2, null);

    assertThat(scene.plan().why(waits).blockers())
        .extracting(Blocker::message)
        .anySatisfy(
            reason("supplied-nodes.nodes-coming-pool-burst", 2, "burst", "2026-03-01T11:59:00Z"));
  }

  /** Fails when a tier without stock gets requests, or delays the next tier. */
  @Test
  void nextTierIsUsedUntilAStockOutEnds() {
    empty("spot", CapacityType.SPOT);
    offer(SPOT, "spot", CapacityType.SPOT, 0, null);
    scene.routing(
        queue,
        tier(CapacityType.RESERVED, 0),
        tier(CapacityType.ON_DEMAND, 0),
        tier(CapacityType.SPOT, 0));
    jobs(1);
    JobBuilder waits = scene.job("waits").gpus(8).capacity(CapacityType.values());
    assertThat(wanted()).containsExactly(Map.entry(BURST, 1));

    StockOut none = new StockOut(Scene.NOW.plusSeconds(8390), 3, null);
    offer(BURST, "burst", CapacityType.ON_DEMAND, 0, none);

    assertThat(wanted()).containsExactly(Map.entry(SPOT, 1));
    Blocker why = scene.plan().first(waits);
    assertThat(why.reason()).isEqualTo(Reason.STOCK_OUT);
    assertThat(why.message())
        .satisfies(
            reason(
                "supplied-nodes.until-about-refusals-provisioner",
                "STOCK_OUT",
                "2026-03-01T14:20:00Z",
                3,
                "burst",
                "H100"));
  }

  /** Fails when the reason or the remedy is missing although no node is requested. */
  @Test
  void wrongNodeIsNamedWithTheNextStep() {
    StockOut wrong =
        new StockOut(Scene.NOW.plusSeconds(8390), 1, "node gpu-17 has cpu 64 for pods, not cpu 96");
    offer(BURST, "burst", CapacityType.ON_DEMAND, 0, wrong);
    jobs(1);
    JobBuilder waits = scene.job("waits").gpus(8).capacity(CapacityType.values());

    assertThat(wanted()).isEmpty();
    assertThat(scene.plan().why(waits).blockers())
        .extracting(Blocker::message)
        .anySatisfy(
            reason(
                "supplied-nodes.pool-burst-requests-nodes",
                "burst",
                "2026-03-01T14:20:00Z",
                "gpu-17",
                64,
                96));
  }
}
