package dev.fairlead.care.supply.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.care.supply.Supplies;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.service.EngineNodeDemand;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The supply loop with a provisioner that is slow, hangs, fails or no longer exists. */
class SupplyLoopProvisionerTest extends SupplyLoopScene {

  /** Fails when a refused node is requested without end. */
  @Test
  void provisionerThatPromisesWithoutDeliveryIsPaused() {
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

  /** Fails when a hanging provisioner causes a second request to another provisioner. */
  @Test
  void hangingProvisionerGetsNoOtherRequest() {
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
  void hangingProvisionerIsCalledOnceForAnyNumberOfRequests() {
    provisioner.answer = new SupplyAnswer.Unanswered("not answered in time");
    threeRequests();

    tick(STEP);
    assertThat(provisioner.heard).hasSize(1);
    tick(STEP);
    tick(STEP);

    assertThat(provisioner.heard).as("after 10 s, and not after 20 s more").hasSize(2);
  }

  // Fails when a slow provisioner delays the loop several times, and thereby all others.
  @Test
  void slowProvisionerIsCalledOncePerTurn() {
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
  void turnStartsNoCallAfterFiveSecondsForAnyNumberOfHangingProvisioners() {
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
  void turnReadsTheClockOnceWithoutAProvisionerCall() {
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

  private void threeRequests() {
    Supply supply = stores.supplies().supplies().getFirst();
    for (int i = 0; i < 3; i++) {
      request(supply);
    }
  }

  /** Fails when another provisioner gets a request for nodes that this one is adding. */
  @Test
  void provisionerAddressIsFixedWhileItMayHaveNodes() {
    Job job = supplied();
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> commands.put(admin, "burst", spec(0), null, false))
        .withMessageContaining("Set maxNodes to 0");
    world.succeed(world.run(world.place(job, 0, "new-1")));
    tick(STEP);
    tick(Supplies.RELEASE_AFTER);
    tick(STEP);
    assertThatExceptionOfType(Refusal.class)
        .as("its node is still there")
        .isThrownBy(() -> commands.put(admin, "burst", spec(1), null, false));

    SupplyView moved = commands.put(admin, "burst", spec(0), null, false);
    assertThat(moved.supply().provisioner())
        .isEqualTo(new Supply.Webhook("https://other.example", null));
  }

  /**
   * Fails when a lost provisioner blocks the removal of its supply, or its nodes are not reported.
   */
  @Test
  void supplyWithoutItsProvisionerIsRemovedByForceAndItsNodesStay() {
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

  /** Fails when nodes marked for return accept no jobs, and can never be returned. */
  @Test
  void nodesDrainedForAMissingProvisionerAcceptJobsAgain() {
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
  void nodeCordonedByAnOperatorBeforeItsDrainStaysCordoned() {
    Job _ = supplied();
    assertThat(stores.inventory().order(world.node("new-1").id(), NodeOrder.CORDON)).isPresent();
    tick(Supplies.RELEASE_AFTER);
    assertThat(world.node("new-1").state()).isEqualTo(NodeState.DRAINING);

    commands.delete(admin, "burst", "the account was closed", null, false);
    report();

    assertThat(world.node("new-1").state()).isNotEqualTo(NodeState.ACTIVE);
  }
}
