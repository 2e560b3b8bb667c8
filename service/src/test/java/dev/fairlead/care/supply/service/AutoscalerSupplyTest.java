package dev.fairlead.care.supply.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.care.supply.ProvisioningConditions;
import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.Supplies;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.service.EngineNodeDemand;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes of a cluster's autoscaler, which names none and may report false states. */
class AutoscalerSupplyTest {
  private static final Duration STEP = Duration.ofSeconds(10);
  private static final ResourceVector ROOM = ResourceVector.of(64_000, 512 * 1024, 8_000, 110);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final List<NodeReport> reported = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final List<ProvisioningConditions.Condition> conditions = new ArrayList<>();
  private boolean answers = true;
  private long nanos;
  private @Nullable SupplyLoop looked;
  private SupplyLoop loop = loop("one");

  private SupplyLoop loop(String process) {
    return new SupplyLoop(
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
            () -> nanos,
            process),
        stores.supplies(),
        stores.pools(),
        stores.inventory(),
        new SupplyPorts(
            new NoWebhook(),
            this::asks,
            new EngineNodeDemand(stores.world()),
            stores.reservations()),
        stores.transactions(),
        stores.ids(),
        new SimpleMeterRegistry());
  }

  private static final class NoWebhook implements NodeProvisioner {
    @Override
    public Optional<String> refuses(Supply.Webhook webhook) {
      return Optional.empty();
    }

    @Override
    public SupplyAnswer ask(SupplyCall call) {
      throw new AssertionError("the autoscaler is asked");
    }
  }

  private SupplyAnswer asks(SupplyCall call) {
    asked.add(call.action() + " " + call.labels());
    if (!answers) {
      return new SupplyAnswer.Unanswered("the cluster has no ProvisioningRequests");
    }
    return switch (call.action()) {
      case REQUEST -> new ProvisioningConditions(conditions).answer();
      case RELEASE -> ProvisioningConditions.says(SupplyAnswer.Word.RELEASED, "");
    };
  }

  private void condition(String type, boolean is, String reason) {
    conditions.removeIf(one -> one.type().equals(type));
    conditions.add(
        new ProvisioningConditions.Condition(type, is ? "True" : "False", reason, "as it was"));
  }

  @BeforeEach
  void twoNodesThatAreFullAndAJobThatWaits() {
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            "burst",
            null,
            new PoolSelector(
                List.of(world.cluster().name()), List.of(), new TreeMap<>(), List.of()),
            "",
            Spares.NONE,
            PoolWindows.NONE,
            1);
    stores.pools().insert(pool);
    report("node-1", "node-2");
    Supply some = Supplies.of(pool.id(), world.cluster().id());
    stores
        .supplies()
        .put(
            new Supply(
                some.pool(),
                some.cluster(),
                new NodeKind("H100", 8, 0, CapacityType.RESERVED, ROOM, new TreeMap<>()),
                some.maxNodes(),
                some.releaseAfter(),
                some.readyWithin(),
                null,
                1,
                new Supply.ProvisioningClass(
                    "best-effort-atomic-scale-up.autoscaling.x-k8s.io", new TreeMap<>())));
    for (String node : List.of("node-1", "node-2")) {
      world.run(world.place(world.submit(Specs.job(node).gpus(8)), 0, node));
    }
    world.submit(Specs.job("waits").gpus(8));
    tick(STEP);
    assertThat(request().state()).isEqualTo(SupplyState.PENDING);
  }

  private void report(String... names) {
    Stream.of(names).map(name -> NodeReports.node(name).build()).forEach(reported::add);
    world.report(reported.toArray(NodeReport[]::new));
    int _ = stores.inventory().assign(stores.pools().pools());
  }

  /** A supervisor records its cluster after the loop has begun. */
  private void looks() {
    if (!loop.equals(looked)) {
      loop.tick();
      looked = loop;
    }
  }

  private void tick(Duration later) {
    looks();
    stores.advance(later);
    nanos += later.toNanos();
    stores.inventory().seen(world.cluster().id(), stores.clock().instant());
    loop.tick();
  }

  private SupplyRequest request() {
    return stores.supplies().requests(supply().pool(), 100).getLast();
  }

  private Supply supply() {
    return stores.supplies().supplies().getFirst();
  }

  private void provisioned() {
    condition("Provisioned", true, "CapacityIsProvisioned");
    tick(STEP);
    assertThat(request().state()).isEqualTo(SupplyState.GRANTED);
  }

  /** Fails when an earlier node counts as added, or the new one is not found. */
  @Test
  void nodeAddedAfterTheRequestBelongsToIt() {
    provisioned();
    assertThat(request().delivered()).isEmpty();
    report("new-1");
    tick(STEP);
    tick(STEP);

    assertThat(request().state()).isEqualTo(SupplyState.READY);
    assertThat(request().kept()).containsExactly("new-1");
  }

  /** Fails when a request gets more nodes than it requested: then foreign nodes are drained. */
  @Test
  void unrelatedNodeAddedMeanwhileIsLeftAlone() {
    provisioned();
    report("new-1", "new-2");
    tick(STEP);
    tick(STEP);

    assertThat(request().kept()).containsExactly("new-1");
    assertThat(world.node("new-2").state()).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when nodes from before the promise count for the request. */
  @Test
  void nodeAddedBeforeProvisioningIsNotClaimed() {
    condition("Accepted", true, "Accepted");
    report("new-1");
    tick(STEP);

    assertThat(request().delivered()).isEmpty();
  }

  @Test
  void unavailableCapacityIsAStockOut() {
    condition("Provisioned", false, "CapacityIsNotFound");
    tick(STEP);

    assertThat(request().state()).isEqualTo(SupplyState.REFUSED);
    assertThat(stores.supplies().offers().getFirst().stockOut())
        .extracting(StockOut::refusals)
        .isEqualTo(1);
    tick(STEP);
    assertThat(asked).last().asString().startsWith("RELEASE");
    assertThat(request().endedAt()).isNotNull();
  }

  /** Fails when a promise that is withdrawn and repeated loses its nodes. */
  @Test
  void flappingConditionChangesNoPromisedNode() {
    provisioned();
    condition("Provisioned", false, "FailedToCheckCapacity");
    tick(STEP);
    report("new-1");
    tick(STEP);
    tick(STEP);

    assertThat(request().state()).isEqualTo(SupplyState.READY);
  }

  @Test
  void expiredProvisioningRequestRejectsNothingAndRevokedCapacityDoes() {
    provisioned();
    condition("AdvanceReservationExpired", true, "CapacityReservationTimeExpired");
    tick(STEP);
    assertThat(request().state()).isEqualTo(SupplyState.GRANTED);
    condition("CapacityRevoked", true, "Revoked");
    tick(STEP);

    assertThat(request().state()).isEqualTo(SupplyState.REFUSED);
  }

  /** Fails when a promise without nodes is believed permanently. */
  @Test
  void aProvisionedRequestWithoutNodesTimesOut() {
    provisioned();
    tick(Supplies.READY_WITHIN);

    assertThat(request().state()).isEqualTo(SupplyState.TIMED_OUT);
    assertThat(request().misfit()).isNull();
    assertThat(stores.supplies().offers().getFirst().stockOut()).isNotNull();
  }

  /** Fails when a node of another kind is used, drained, or not reported. */
  @Test
  void nodeOfAnotherKindIsReportedAndLeftAlone() {
    provisioned();
    reported.add(NodeReports.node("odd").gpus(4).build());
    report();
    tick(STEP);
    assertThat(request().kept()).isEmpty();
    tick(Supplies.READY_WITHIN);
    tick(STEP);

    assertThat(request().state()).isEqualTo(SupplyState.TIMED_OUT);
    assertThat(request().misfit()).contains("odd", "4 H100 GPUs", "the autoscaler manages it");
    assertThat(world.node("odd").state()).isEqualTo(NodeState.ACTIVE);
  }

  /**
   * Fails when an empty node is retained, or removed by a different component than the autoscaler.
   */
  @Test
  void idleNodeIsDrainedAndItsRequestDeleted() {
    provisioned();
    report("new-1");
    tick(STEP);
    tick(Supplies.RELEASE_AFTER);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.DRAINING);
    assertThat(asked).noneMatch(call -> call.startsWith("RELEASE"));
    tick(STEP);
    assertThat(asked).anyMatch(call -> call.startsWith("RELEASE"));
    reported.removeLast();
    report();
    tick(STEP);

    assertThat(request().endedAt()).isNotNull();
  }

  /** Fails when an existing returned node is bought again. */
  @Test
  void returnedNodeThatIsStillPresentIsClaimedAgain() {
    provisioned();
    report("new-1");
    tick(STEP);
    tick(Supplies.RELEASE_AFTER);
    for (int i = 0; i < 6; i++) {
      tick(STEP);
      report();
    }

    List<SupplyRequest> all = stores.supplies().requests(supply().pool(), 100);
    assertThat(all).hasSize(2);
    assertThat(all.getFirst().kept()).containsExactly("new-1");
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);
  }

  private void trouble(@Nullable String trouble) {
    Cluster cluster = stores.inventory().cluster(world.cluster().id()).orElseThrow();
    stores
        .inventory()
        .update(
            cluster.moved(cluster.state(), cluster.lastSeenAt(), trouble, cluster.capabilities()));
  }

  /** Fails when a copy of the live database requests nodes, or returns nodes in use. */
  @Test
  void reportOnlyClusterGetsNoRequest() {
    provisioned();
    report("new-1");
    tick(STEP);
    assertThat(request().kept()).containsExactly("new-1");
    int before = asked.size();
    trouble(Cluster.ONLY_REPORTED + "the cluster knows watermark 7");
    world.submit(Specs.job("more").gpus(8));
    world.submit(Specs.job("and more").gpus(8));
    tick(Supplies.RELEASE_AFTER);
    tick(STEP);
    assertThat(asked).hasSize(before);
    assertThat(stores.supplies().requests(supply().pool(), 100)).hasSize(1);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);

    trouble(null);
    tick(STEP);
    assertThat(stores.supplies().requests(supply().pool(), 100)).hasSize(2);
  }

  /**
   * A new copy has the rows of the live database. Fails when it requests nodes before its own
   * supervisor has recorded the cluster's response.
   */
  @Test
  void startingProcessRequestsNothingBeforeItsClusterIsConfirmed() {
    int before = asked.size();
    loop.close();
    loop = loop("two");
    for (int i = 0; i < 9; i++) {
      stores.advance(STEP);
      nanos += STEP.toNanos();
      loop.tick();
    }
    assertThat(asked).hasSize(before);
    trouble(Cluster.ONLY_REPORTED + "the cluster knows watermark 7");
    tick(STEP);
    trouble("no usable answer from it yet");
    loop.tick();
    assertThat(asked).hasSize(before);
    tick(STEP);
    assertThat(asked).hasSizeGreaterThan(before);
  }

  /** Fails when a cluster without the CRD or the right is silent about it. */
  @Test
  void unqueryableClusterIsReportedByTheDoctor() {
    SupplyDiagnosis doctor = doctor();
    assertThat(doctor.look()).extracting(DoctorCheck::verdict).containsOnly(DoctorCheck.Verdict.OK);
    answers = false;
    tick(STEP);

    assertThat(request().talk().message()).contains("no ProvisioningRequests");
    assertThat(doctor.look().getFirst().found()).contains("no ProvisioningRequests");
    assertThat(doctor.look().getFirst().next()).contains("deploy/cluster-supply.yaml");
  }

  private SupplyDiagnosis doctor() {
    return new SupplyDiagnosis(stores.supplies(), stores.pools(), stores.inventory());
  }

  /** Fails when the doctor does not report billed nodes that no process returns. */
  @ParameterizedTest
  @CsvSource({
    "DISABLED, is disabled, Enable it",
    "UNREACHABLE, does not answer, FairleadClusterSilent"
  })
  void doctorReportsNodesOfAnUnavailableCluster(ClusterState away, String how, String next) {
    provisioned();
    report("new-1");
    tick(STEP);
    Cluster cluster = stores.inventory().cluster(world.cluster().id()).orElseThrow();
    assertThat(doctor().look()).hasSize(1);
    stores.inventory().update(cluster.in(away));

    loop.close();
    loop = loop("two");
    int before = asked.size();
    nanos += Duration.ofDays(4).toNanos();
    loop.tick();
    loop.tick();
    assertThat(asked).as("another process leads").hasSize(before);
    DoctorCheck told = doctor().look().getLast();
    assertThat(told.verdict()).isEqualTo(DoctorCheck.Verdict.WARNING);
    assertThat(told.found()).contains(cluster.name() + " " + how, "1 open request", "(1 held)");
    assertThat(told.next()).contains(next);
  }

  /** Fails when nodes of a removed cluster are reported nowhere. */
  @Test
  void requestsOfARemovedClusterAreReportedByTheDoctor() {
    SupplyRequest request = request();
    Supply elsewhere = Supplies.of(request.asked().pool(), new ClusterId(stores.ids().next()));
    stores
        .supplies()
        .insert(
            SupplyRequest.of(
                new SupplyRequestId(stores.ids().next()), elsewhere, 3, stores.supplies().now()));

    DoctorCheck told = doctor().look().getLast();

    assertThat(told.verdict()).isEqualTo(DoctorCheck.Verdict.PROBLEM);
    assertThat(told.found()).contains("1 open request", "(3 held)");
    assertThat(told.next()).satisfies(reason("autoscaler-supply.remove-supply-reason"));
  }
}
