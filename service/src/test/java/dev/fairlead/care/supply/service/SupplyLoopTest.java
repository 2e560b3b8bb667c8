package dev.fairlead.care.supply.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.supply.NodeDemand;
import dev.fairlead.care.supply.Supplies;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.service.EngineNodeDemand;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Nodes are requested, arrive, are used, and are returned, while provisioners and processes fail.
 */
class SupplyLoopTest extends SupplyLoopScene {

  /** Fails when a node is requested before a job waits, or twice. */
  @Test
  void waitingJobRequestsOneNode() {
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
  void processRestartedBetweenTwoStepsRepeatsTheSameRequest() {
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
  void nodeIsReturnedOnlyAfterALongIdleTime() {
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
  void nodeThatReturnsUnderItsNameIsUsedAgain() {
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
   * Fails when a returned node that its cluster never stopped reporting counts as foreign: it is
   * then used and billed, and never returned.
   */
  @Test
  void returnedNodeThatIsNamedAgainIsClaimedAgain() {
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
  void returnedNodeOfAnotherPoolStaysOutOfUse() {
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
  void preexistingNodeIsNotClaimed() {
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
  void hiddenNodeIsRetainedWhileAJobIsThere() {
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
  void nodeOfAnotherRequestIsRetained() {
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
    assertThat(second.delivered().getFirst().trouble()).startsWith("it belongs to another request");
    assertThat(request(1).kept()).containsExactly("new-1");
  }

  /** Fails when a cluster is disabled although its billed nodes would never be returned. */
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
  void nothingIsRequestedOnAClusterDisabledMeanwhile() {
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
  void failedDemandDelaysNothingElse() {
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
}
