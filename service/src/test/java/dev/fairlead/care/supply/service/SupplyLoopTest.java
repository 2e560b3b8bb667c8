package dev.fairlead.care.supply.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.supply.NodeDemand;
import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.care.supply.Supplies;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyCall.Action;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.service.EngineNodeDemand;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nodes are requested, arrive, are used, and are returned; provisioners and processes fail in
 * between.
 */
class SupplyLoopTest {
  private static final Duration STEP = Duration.ofSeconds(10);
  private static final ResourceVector ROOM = ResourceVector.of(64_000, 512 * 1024, 8_000, 110);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Supplier provisioner = new Supplier();
  private final List<NodeReport> reported = new ArrayList<>();
  private final PoolSupplies commands =
      new PoolSupplies(
          stores.transactions(),
          stores.supplies(),
          stores.pools(),
          stores.inventory(),
          provisioner,
          purpose -> Optional.of(new byte[32]),
          stores.audit());
  private final Actor admin = new Actor(new TenantId(stores.ids().next()), "root", Role.ADMIN);
  private SupplyLoop loop = loop("one");
  private long nanos;
  private @Nullable SupplyLoop looked;

  /** A provisioner with fixed answers that records its calls. */
  private final class Supplier implements NodeProvisioner {
    private final List<String> heard = new ArrayList<>();
    private final SortedMap<String, List<String>> keeps = new TreeMap<>();
    private final Set<String> keys = new TreeSet<>();
    private SupplyAnswer answer = says(Word.PENDING);
    private Duration takes = Duration.ZERO;
    private boolean dies;

    @Override
    public Optional<String> refuses(Supply.Webhook webhook) {
      return Optional.empty();
    }

    @Override
    public SupplyAnswer ask(SupplyCall call) {
      keys.add(call.request().id().text());
      heard.add(call.action() + " " + call.request().asked().nodes() + " " + call.request().kept());
      if (call.action() == Action.RELEASE) {
        keeps.put(call.request().id().text(), call.request().notHandedBack());
      }
      stores.advance(takes);
      if (dies) {
        throw new IllegalStateException("the process ends here");
      }
      return call.action() == Action.RELEASE ? says(Word.RELEASED) : answer;
    }

    private static SupplyAnswer says(Word word, String... nodes) {
      return new SupplyAnswer.Answered(word, List.of(nodes), "", null);
    }
  }

  @BeforeEach
  void twoNodesThatAreFullAndAJobThatWaits() {
    Pool pool = pool("burst");
    stores.pools().insert(pool);
    report("node-1", "node-2");
    Supply draft = Supplies.of(pool.id(), world.cluster().id());
    NodeKind kind = draft.kind();
    stores
        .supplies()
        .put(
            new Supply(
                draft.pool(),
                draft.cluster(),
                new NodeKind(kind.model(), 8, 0, CapacityType.RESERVED, ROOM, kind.labels()),
                draft.maxNodes(),
                draft.releaseAfter(),
                draft.readyWithin(),
                draft.webhook(),
                1));
    for (String node : List.of("node-1", "node-2")) {
      world.run(world.place(world.submit(Specs.job(node).gpus(8)), 0, node));
    }
  }

  private Pool pool(String name) {
    return new Pool(
        new PoolId(stores.ids().next()),
        name,
        null,
        new PoolSelector(List.of(world.cluster().name()), List.of(), new TreeMap<>(), List.of()),
        "",
        Spares.NONE,
        1);
  }

  private void report(String... names) {
    Stream.of(names).map(name -> NodeReports.node(name).build()).forEach(reported::add);
    world.report(reported.toArray(NodeReport[]::new));
    int _ = stores.inventory().assign(stores.pools().pools());
  }

  private SupplyLoop loop(String process) {
    return loop(process, new EngineNodeDemand(stores.world()));
  }

  private SupplyLoop loop(String process, NodeDemand demand) {
    return loop(process, demand, stores.supplies());
  }

  private SupplyLoop loop(String process, NodeDemand demand, SupplyStore supplies) {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
            () -> nanos,
            process);
    return new SupplyLoop(
        leases,
        supplies,
        stores.pools(),
        stores.inventory(),
        new SupplyPorts(
            provisioner,
            call -> new SupplyAnswer.Unanswered("not asked"),
            demand,
            stores.reservations()),
        stores.transactions(),
        stores.ids(),
        new SimpleMeterRegistry());
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

  private List<SupplyRequest> requests() {
    return stores.supplies().requests(stores.supplies().supplies().getFirst().pool(), 100);
  }

  private SupplyRequest request() {
    assertThat(requests()).hasSize(1);
    return requests().getFirst();
  }

  private SupplyRequest request(int back) {
    return requests().get(back);
  }

  /** Runs until the node of a waiting job exists. */
  private Job supplied() {
    Job job = world.submit(Specs.job("waits").gpus(8));
    tick(STEP);
    provisioner.answer = Supplier.says(Word.GRANTED, "new-1");
    tick(STEP);
    report("new-1");
    tick(STEP);
    assertThat(request().state()).isEqualTo(SupplyState.READY);
    return job;
  }

  /** Fails when a node is requested before a job waits, or twice. */
  @Test
  void aJobThatWaitsBringsOneNode() {
    tick(STEP);
    assertThat(requests()).isEmpty();

    Job _ = supplied();
    tick(STEP);
    tick(STEP);

    assertThat(request().kept()).containsExactly("new-1");
    assertThat(provisioner.heard).containsOnly("REQUEST 1 []");
    assertThat(provisioner.keys).hasSize(1);
  }

  /** Fails when a step is not stored before its call: then two nodes are added. */
  @Test
  void aProcessThatEndsBetweenTwoStepsAsksTheSameAgain() {
    world.submit(Specs.job("waits").gpus(8));
    tick(STEP);
    loop.close();
    loop = loop("two");
    provisioner.dies = true;
    tick(STEP);
    loop.close();
    loop = loop("three");
    provisioner.dies = false;
    tick(STEP);

    assertThat(provisioner.heard).hasSize(2);
    assertThat(provisioner.keys).hasSize(1);
    assertThat(requests()).hasSize(1);
  }

  /** Fails when a node with a live attempt is drained or returned. */
  @Test
  void aNodeGoesBackWhenItWasEmptyForLongAndNotBefore() {
    Job job = supplied();
    Attempt attempt = world.run(world.place(job, 0, "new-1"));
    tick(Supplies.RELEASE_AFTER);
    tick(Supplies.RELEASE_AFTER);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);
    world.succeed(attempt);

    tick(STEP);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);
    tick(Supplies.RELEASE_AFTER);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.DRAINING);
    assertThat(provisioner.heard).as("drained first").containsOnly("REQUEST 1 []");
    tick(STEP);

    assertThat(provisioner.heard).last().isEqualTo("RELEASE 1 []");
    assertThat(request().held()).as("its cluster shows it").isEqualTo(1);
    reported.removeLast();
    report();
    tick(STEP);
    assertThat(request().endedAt()).isNotNull();
  }

  /** Fails when a machine that returns under its name stays drained. */
  @Test
  void aNodeThatComesAgainUnderItsNameIsTakenBackIntoUse() {
    Job _ = supplied();
    tick(Supplies.RELEASE_AFTER);
    tick(STEP);
    reported.removeLast();
    report();
    tick(STEP);
    assertThat(requests().getLast().endedAt()).isNotNull();

    tick(STEP);
    tick(STEP);
    report("new-1");
    tick(STEP);
    report();
    tick(STEP);

    assertThat(requests()).hasSize(2);
    assertThat(requests().getFirst().state()).isEqualTo(SupplyState.READY);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);
  }

  /**
   * Fails when a returned node that its cluster never stopped showing counts as foreign: then it is
   * used and billed, and never returned.
   */
  @Test
  void aNodeThatWasHandedBackAndIsNamedAgainIsTakenAgain() {
    Job _ = supplied();
    tick(Supplies.RELEASE_AFTER);
    tick(STEP);
    assertThat(requests().getLast().delivered().getFirst().returnedAt()).isNotNull();
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.DRAINING);

    for (int i = 0; i < 5; i++) {
      tick(STEP);
      report();
    }
    assertThat(requests()).hasSize(2);
    assertThat(request(0).state()).isEqualTo(SupplyState.READY);
    assertThat(request(0).kept()).containsExactly("new-1");
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);
    tick(Supplies.RELEASE_AFTER);
    tick(STEP);
    assertThat(request(1).delivered().getFirst().returnedAt()).isNotNull();
  }

  /** Fails when a node that is now in another pool is returned to use. */
  @Test
  void aNodeThatWasHandedBackAndIsOfAnotherPoolStaysOutOfUse() {
    Job _ = supplied();
    tick(Supplies.RELEASE_AFTER);
    tick(STEP);
    int _ = stores.inventory().assign(List.of(pool("others")));

    for (int i = 0; i < 5; i++) {
      tick(STEP);
    }
    assertThat(request(0).delivered().getFirst().foreign()).isTrue();
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.DRAINING);
  }

  // Fails when the provisioner's claim about an existing node is accepted, or it is called again as
  // soon as the first of its two wrong answers is forgotten.
  @Test
  void aNodeThatWasThereBeforeIsNotTaken() {
    world.submit(Specs.job("waits").gpus(8));
    tick(STEP);
    provisioner.answer = Supplier.says(Word.GRANTED, "node-1");
    tick(STEP);
    tick(STEP);

    assertThat(request().state()).isEqualTo(SupplyState.GRANTED);
    assertThat(request().delivered().getFirst().trouble()).startsWith("existed before the request");
    tick(Supplies.READY_WITHIN);
    tick(STEP);
    tick(STEP);
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.ACTIVE);
    tick(Duration.ofHours(1));
    assertThat(requests()).as("it may have been wrong once").hasSize(2);
    tick(STEP);
    tick(Supplies.READY_WITHIN);
    assertThat(requests().getFirst().state()).isEqualTo(SupplyState.TIMED_OUT);
    tick(Duration.ofHours(5));
    assertThat(requests()).as("the provisioner does not do what it says").hasSize(2);
    tick(Duration.ofHours(1));
    assertThat(requests()).as("after six hours").hasSize(3);
    tick(STEP);
    tick(Supplies.READY_WITHIN);
    tick(Duration.ofHours(5));
    assertThat(requests()).as("wrong a third time").hasSize(3);
  }

  /** Fails when a machine is returned under a job because one report omits its node. */
  @Test
  void aNodeThatIsNotShownIsKeptWhileAJobIsThere() {
    Attempt attempt = world.run(world.place(supplied(), 0, "new-1"));
    reported.removeLast();
    report();
    tick(STEP);
    tick(STEP);
    assertThat(request().kept()).containsExactly("new-1");
    assertThat(provisioner.heard).containsOnly("REQUEST 1 []");

    world.succeed(attempt);
    tick(STEP);
    tick(STEP);
    assertThat(provisioner.heard).last().isEqualTo("RELEASE 1 []");
  }

  /** Fails when a machine with a job of another request is returned. */
  @Test
  void aNodeThatAnotherRequestHasIsKept() {
    world.run(world.place(supplied(), 0, "new-1"));
    world.submit(Specs.job("waits, too").gpus(8));
    tick(STEP);
    provisioner.answer = Supplier.says(Word.GRANTED, "new-1", "new-2");
    tick(STEP);
    report("new-2");
    tick(STEP);
    tick(STEP);

    SupplyRequest second = request(0);
    assertThat(second.state()).isEqualTo(SupplyState.READY);
    assertThat(provisioner.keeps.get(second.id().text())).containsExactly("new-1", "new-2");
    assertThat(second.delivered().getFirst().trouble()).startsWith("another request has it");
    assertThat(request(1).kept()).containsExactly("new-1");
  }

  /** Fails when a refused node is requested without end. */
  @Test
  void aProvisionerThatPromisesAndDoesNotDeliverIsLeftAloneForAWhile() {
    world.submit(Specs.job("waits").gpus(8));
    provisioner.answer = Supplier.says(Word.GRANTED);
    tick(STEP);
    tick(STEP);
    tick(Supplies.READY_WITHIN);
    tick(STEP);

    assertThat(request().state()).isEqualTo(SupplyState.TIMED_OUT);
    assertThat(provisioner.heard).last().isEqualTo("RELEASE 1 []");
    assertThat(stores.world().read().offers().getFirst().stockOut()).isNotNull();
    tick(Duration.ofMinutes(2));
    tick(STEP);
    assertThat(requests()).as("asked again when the stock-out is over").hasSize(2);
  }

  /** Fails when a hanging provisioner causes a second request elsewhere. */
  @Test
  void aProvisionerThatHangsIsAskedForNoOtherNode() {
    world.submit(Specs.job("waits").gpus(8));
    provisioner.answer = new SupplyAnswer.Unanswered("not answered in time");
    for (int i = 0; i < 20; i++) {
      tick(STEP);
    }

    assertThat(request().talk().message()).isEqualTo("not answered in time");
    assertThat(provisioner.heard).hasSizeBetween(3, 8);
    assertThat(provisioner.keys).hasSize(1);
  }

  /** Fails when each request of a hanging provisioner costs a separate call. */
  @Test
  void aProvisionerThatHangsIsCalledOnceHoweverManyRequestsItHas() {
    provisioner.answer = new SupplyAnswer.Unanswered("not answered in time");
    threeRequests();

    tick(STEP);
    assertThat(provisioner.heard).hasSize(1);
    tick(STEP);
    tick(STEP);

    assertThat(provisioner.heard).as("after 10 s, and not after 20 s more").hasSize(2);
  }

  // Fails when a slow provisioner delays the loop several times, and with it all others.
  @Test
  void aProvisionerThatIsSlowIsCalledOnceATurn() {
    provisioner.takes = Duration.ofSeconds(9);
    threeRequests();

    tick(STEP);
    assertThat(provisioner.heard).hasSize(1);
    tick(STEP);
    tick(STEP);
    assertThat(provisioner.keys).as("each in its turn").hasSize(3);
  }

  /** Fails when a pass takes as long as all hanging provisioners together. */
  @Test
  void aTurnBeginsNoCallAfterFiveSecondsHoweverManyProvisionersHang() {
    Supply first = stores.supplies().supplies().getFirst();
    for (int i = 0; i < 6; i++) {
      Pool pool = pool("other-" + i);
      stores.pools().insert(pool);
      Supply other = Supplies.of(pool.id(), first.cluster(), "https://public.example/" + i);
      stores.supplies().put(other);
      request(other);
    }
    provisioner.answer = new SupplyAnswer.Unanswered("no answer");
    provisioner.takes = Duration.ofSeconds(4);

    tick(STEP);

    assertThat(provisioner.heard).hasSize(2);
  }

  /** Fails when the clock is read for each open request. */
  @Test
  void aTurnAsksTheClockOnceWhereNoProvisionerIsCalled() {
    List<String> asked = new ArrayList<>();
    SupplyStore counting =
        (SupplyStore)
            Proxy.newProxyInstance(
                SupplyStore.class.getClassLoader(),
                new Class<?>[] {SupplyStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("now")) {
                    asked.add("now");
                  }
                  return method.invoke(stores.supplies(), arguments);
                });
    loop.close();
    loop = loop("two", new EngineNodeDemand(stores.world()), counting);
    threeRequests();
    tick(STEP);
    assertThat(provisioner.heard).hasSize(3);
    asked.clear();

    stores.advance(Duration.ofSeconds(2));
    nanos += Duration.ofSeconds(2).toNanos();
    loop.tick();

    assertThat(provisioner.heard).hasSize(3);
    assertThat(asked).hasSize(1);
  }

  private void request(Supply supply) {
    stores
        .supplies()
        .insert(
            SupplyRequest.of(
                new SupplyRequestId(stores.ids().next()), supply, 1, stores.supplies().now()));
  }

  private void threeRequests() {
    Supply supply = stores.supplies().supplies().getFirst();
    for (int i = 0; i < 3; i++) {
      request(supply);
    }
  }

  /** Fails when another provisioner gets a request for nodes that this one is adding. */
  @Test
  void theAddressOfAProvisionerStaysWhileItMayHaveNodes() {
    Job job = supplied();
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> commands.put(admin, "burst", draft(0), null, false))
        .withMessageContaining("Set maxNodes to 0");
    world.succeed(world.run(world.place(job, 0, "new-1")));
    tick(STEP);
    tick(Supplies.RELEASE_AFTER);
    tick(STEP);
    assertThatExceptionOfType(Refusal.class)
        .as("its node is still there")
        .isThrownBy(() -> commands.put(admin, "burst", draft(1), null, false));

    SupplyView moved = commands.put(admin, "burst", draft(0), null, false);
    assertThat(moved.supply().provisioner())
        .isEqualTo(new Supply.Webhook("https://other.example", null));
  }

  /**
   * Fails when a lost provisioner blocks the removal of its supply, or its nodes are not reported.
   */
  @Test
  void aSupplyWhoseProvisionerIsGoneIsRemovedByForceAndItsNodesStay() {
    Job _ = supplied();

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> commands.delete(admin, "burst", null, null, false))
        .withMessageContaining("The cluster reports new-1")
        .withMessageContaining("billed");
    commands.delete(admin, "burst", "the account was closed", null, false);
    tick(STEP);
    tick(Supplies.RELEASE_AFTER);

    assertThat(stores.supplies().supplies()).isEmpty();
    assertThat(stores.supplies().open()).isEmpty();
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);
    assertThat(provisioner.heard).containsOnly("REQUEST 1 []");
  }

  /** Fails when a cluster is disabled while billed nodes there would never be returned. */
  @Test
  void aClusterIsNotDisabledWhileRequestsAreOpenThere() {
    assertThat(commands.refuses(world.cluster())).isEmpty();
    Job _ = supplied();

    assertThat(commands.refuses(world.cluster()).orElseThrow())
        .contains(
            "has 1 open request for nodes: " + request().id().text() + " of pool burst (READY, 1")
        .contains("billed", "force=true");

    commands.delete(admin, "burst", "the account was closed", null, false);
    assertThat(commands.refuses(world.cluster())).isEmpty();
  }

  /** Fails when nodes are bought for a cluster that was disabled while the demand was reckoned. */
  @Test
  void nothingIsAskedForWhereTheClusterWasDisabledMeanwhile() {
    NodeDemand engine = new EngineNodeDemand(stores.world());
    List<Integer> wanted = new ArrayList<>();
    loop =
        loop(
            "slow",
            () -> {
              SortedMap<PoolId, Integer> now = engine.now();
              wanted.addAll(now.values());
              if (!now.isEmpty()) {
                assertThat(commands.refuses(world.cluster())).isEmpty();
                stores.inventory().update(world.cluster().in(ClusterState.DISABLED));
              }
              return now;
            });
    tick(STEP);
    Job _ = world.submit(Specs.job("waits").gpus(8));

    tick(STEP);

    assertThat(wanted).containsExactly(1);
    assertThat(world.cluster().state()).isEqualTo(ClusterState.DISABLED);
    assertThat(requests()).isEmpty();
  }

  /** Fails when a failing demand delays old requests, or is computed in each pass. */
  @Test
  void aDemandThatFailsDelaysNothingElse() {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger forgotten = new AtomicInteger();
    SupplyStore counted =
        (SupplyStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {SupplyStore.class},
                (proxy, method, arguments) -> {
                  forgotten.addAndGet(method.getName().equals("forget") ? 1 : 0);
                  return method.invoke(stores.supplies(), arguments);
                });
    loop =
        loop(
            "failing",
            () -> {
              asked.incrementAndGet();
              throw new IllegalStateException("the world cannot be read");
            },
            counted);
    assertThatThrownBy(() -> tick(STEP)).hasMessageContaining("cannot be read");
    tick(Duration.ofSeconds(2));
    assertThat(asked).hasValue(1);
    assertThat(forgotten).hasValue(1);
  }

  /** Fails when nodes marked for return accept no jobs, and can never be returned. */
  @Test
  void nodesThatWereDrainedForAProvisionerThatIsGoneTakeJobsAgain() {
    Job _ = supplied();
    tick(Supplies.RELEASE_AFTER);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.DRAINING);

    commands.delete(admin, "burst", "the account was closed", null, false);
    report();

    assertThat(world.node("new-1").state()).isEqualTo(NodeState.ACTIVE);
    assertThat(stores.auditEntries())
        .filteredOn(row -> row.operation().equals("deletePoolSupply"))
        .extracting(row -> row.detail().get("nodesThere"))
        .containsExactly(List.of("new-1"));
  }

  /** Fails when a forced removal reverts an operator's order. */
  @Test
  void aNodeThatAnOperatorCordonedBeforeItWasDrainedStaysCordoned() {
    Job _ = supplied();
    assertThat(stores.inventory().order(world.node("new-1").id(), NodeOrder.CORDON)).isPresent();
    tick(Supplies.RELEASE_AFTER);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.DRAINING);

    commands.delete(admin, "burst", "the account was closed", null, false);
    report();

    assertThat(world.node("new-1").state()).isNotEqualTo(NodeState.ACTIVE);
  }

  private SupplyDraft draft(int maxNodes) {
    Supply now = stores.supplies().supplies().getFirst();
    return new SupplyDraft(
        world.cluster().name(),
        now.kind(),
        maxNodes,
        now.releaseAfter(),
        now.readyWithin(),
        new Supply.Webhook("https://other.example", null));
  }
}
