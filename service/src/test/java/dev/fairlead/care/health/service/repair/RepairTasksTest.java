package dev.fairlead.care.health.service.repair;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Requests of accepted steps from a repairer, and the check of its answers by the machine's state.
 */
class RepairTasksTest extends RepairTasksScene {

  /**
   * Fails when a step is not requested from the repairer, or its answer counts before the machine's
   * state.
   */
  @Test
  void rebootIsDoneWhenTheRepairerReportsItAndTheNodeHasBooted() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    assertThat(repair().message()).isEqualTo("the repairer was called (INC-7)");

    machines.says(RepairAnswer.Word.DONE);
    tick();
    assertThat(repair().state()).as("it lies, so far").isEqualTo(RepairState.ASKED);
    assertThat(repair().message()).satisfies(reason("repair-tasks.says-done-but-node", "DONE"));

    boots("boot-2");
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
    assertThat(repair().steps()).extracting(Repair.StepTaken::by).containsExactly("the repairer");
    assertThat(task().state()).isEqualTo(RepairTaskState.DONE);
    assertThat(machines.calls).extracting(c -> c.task().id()).containsOnly(task().id());
    assertThat(metrics.get("fairlead.repair.step").tag("step", "REBOOT").timer().count())
        .isEqualTo(1);

    tick();
    assertThat(machines.calls).as("nothing is asked of what is over").hasSize(3);
  }

  /** Fails when a machine is rebooted while its job has not ended. */
  @Test
  void nothingIsRequestedWhileAJobIsOnTheNode() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);
    tick();
    tick();
    assertThat(machines.calls).isEmpty();

    world.succeed(attempt);
    tick();
    assertThat(asked()).containsExactly(RepairCall.Action.REPAIR);
  }

  /** Fails when the boot before a reboot is lost because its node is missing in one report. */
  @Test
  void hiddenNodeHasItsLastReportedBoot() {
    isolated(RepairStep.REBOOT);
    world.report();
    machines.says(RepairAnswer.Word.DONE);
    tick();
    boots("boot-1");
    tick();
    assertThat(repair().state()).as("it has not booted").isEqualTo(RepairState.ASKED);

    boots("boot-2");
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
  }

  /** Fails when a hanging repairer blocks a node permanently, or two steps run at the same time. */
  @Test
  void overdueStepIsWithdrawnBeforeTheNext() {
    isolated(RepairStep.REBOOT);
    tick();
    assertThat(repair().message()).endsWith(": it hangs");
    tick(Duration.ofMinutes(31));
    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);
    assertThat(repair().step()).as("it may be rebooting").isEqualTo(RepairStep.REBOOT);
    assertThat(repairs.one(repair().id()).overdue()).isTrue();

    machines.says(RepairAnswer.Word.WITHDRAWN);
    tick(Duration.ofMinutes(5));
    assertThat(repair().step()).isEqualTo(RepairStep.POWER_CYCLE);
    assertThat(repair().steps().getLast().by()).satisfies(reason("repair-tasks.repairer-time"));
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    assertThat(machines.calls.getLast().task().step()).isEqualTo(RepairStep.POWER_CYCLE);
  }

  /** Fails when the repairer still works at a machine that an operator has taken over. */
  @Test
  void stepTakenOverByAnOperatorIsWithdrawn() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    repairs.order(olga, repair().id(), RepairOrder.DONE, RepairStep.REBOOT, "by hand", false);
    tick();
    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);

    machines.says(RepairAnswer.Word.DONE);
    tick();
    assertThat(task().state()).as("late, and for nobody").isEqualTo(RepairTaskState.WITHDRAWN);
    assertThat(repair().steps()).hasSize(1);
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
  }

  /** Fails when an earlier order can still reboot a node that is back in use. */
  @Test
  void releaseWithdrawsTheRequestedStep() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    quarantines.release(olga, "n1", "it was the cable", false);
    tick();
    tick();

    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);
    assertThatThrownBy(() -> repairers.delete(olga, world.cluster().name(), null, false))
        .isInstanceOf(Refusal.class)
        .satisfies(
            problem("repair-tasks.may-working-machine", world.cluster().name(), 1, "REBOOT", "n1"));
    tick(Duration.ofHours(25));
    assertThat(task().state()).isEqualTo(RepairTaskState.LOST);
    repairers.delete(olga, world.cluster().name(), null, false);
    assertThat(stores.repairs().repairers()).isEmpty();
  }

  /** Fails when an answer to another task, or a constant answer, ends a step. */
  @Test
  void responseWithoutTheNonceIsRejected() {
    isolated(RepairStep.RESET_GPU);
    machines.says =
        call -> new RepairAnswer.Answered(RepairAnswer.Word.DONE, "another", false, "", "");
    tick();

    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
    assertThat(repair().message())
        .satisfies(reason("repair-tasks.says-done-without-nonce", "DONE"));
    machines.says(RepairAnswer.Word.DONE);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
  }

  /** Fails when a step that the repairer does not support is not left to operators. */
  @Test
  void refusedStepIsLeftToOperators() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.REFUSED);
    tick();
    tick();
    tick();

    assertThat(machines.calls).hasSize(1);
    assertThat(repair().message()).satisfies(reason("repair-tasks.repairer-does-do", "INC-7"));
    repairs.order(olga, repair().id(), RepairOrder.DONE, RepairStep.REBOOT, "by hand", false);
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
  }

  /** Fails when the repairer gets steps that it does not accept. */
  @Test
  void otherStepsWaitForOperators() {
    isolated(RepairStep.SERVICE);
    tick();
    tick();
    assertThat(machines.calls).isEmpty();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
  }

  /** Fails when a process that takes over uses another key, so that the step runs twice. */
  @Test
  void anotherProcessSendsTheSameKey() {
    isolated(RepairStep.REBOOT);
    tick();
    loop.close();
    loop = loop("two");
    tick();
    tick(Duration.ofSeconds(20));

    assertThat(machines.calls).hasSizeGreaterThan(1);
    assertThat(machines.calls).extracting(c -> c.task().id()).containsOnly(task().id());
  }

  /** Fails when a hanging repairer is called once for each of its tasks in a pass. */
  @Test
  void hangingRepairerCostsOneCallPerTurn() {
    world.report(
        Stream.of("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8")
            .map(name -> NodeReports.node(name).build())
            .toArray(NodeReport[]::new));
    Stream.of("n1", "n2").forEach(name -> isolated(name, RepairStep.REBOOT));
    tick();
    assertThat(stores.repairs().tasks()).hasSize(2);
    assertThat(machines.calls).hasSize(1);
  }

  /** Fails when tasks of an unreachable cluster delay others. */
  @Test
  void tasksOfAnUnavailableClusterDelayNoOther() {
    set(RepairStep.SERVICE);
    reports(world);
    IntStream.rangeClosed(1, 8).forEach(i -> isolated("n" + i, RepairStep.SERVICE));
    tick();
    assertThat(stores.repairs().tasks()).hasSize(8);

    TestWorld other = TestWorld.in(stores);
    set(other, RepairStep.SERVICE);
    reports(other);
    isolated(other.node("n1"), RepairStep.SERVICE);
    loop.close();
    loop = loop("two");
    tick(other, Duration.ofMinutes(1));
    tick(other, Duration.ofMinutes(1));

    assertThat(machines.calls.getLast().task().cluster()).isEqualTo(other.cluster().id());
  }

  /** Enough nodes that the circuit breaker allows the isolation of eight. */
  private static void reports(TestWorld of) {
    of.report(
        IntStream.rangeClosed(1, 200)
            .mapToObj(i -> NodeReports.node("n" + i).build())
            .toArray(NodeReport[]::new));
  }

  /** Fails when an address inside is stored, or setting one is not audited. */
  @Test
  void internalAddressIsRejected() {
    assertThatThrownBy(() ->
            repairers.put(
                olga,
                world.cluster().name(),
                new Repairers.Settings(
                    List.of(RepairStep.REBOOT), false, "https://inside.example/", null),
                null,
                false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("private or reserved");
    assertThat(stores.auditEntries()).anyMatch(row -> row.operation().equals("putRepairer"));
    Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_OWNER);
    assertThatThrownBy(() -> repairers.of(ana, world.cluster().name())).isInstanceOf(Refusal.class);
  }
}
