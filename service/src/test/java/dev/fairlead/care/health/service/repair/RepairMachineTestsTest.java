package dev.fairlead.care.health.service.repair;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditPosition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of a machine that its repairer runs after a completed step. */
class RepairMachineTestsTest extends RepairTasksScene {

  private void testing() {
    tests = true;
    set(RepairStep.RESET_GPU, RepairStep.REBOOT);
  }

  /** Fails when a machine returns untested, or one that passed waits for an operator. */
  @Test
  void machineThatPassesItsTestReturns() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    tick();
    assertThat(asked()).endsWith(RepairCall.Action.TEST);
    assertThat(repair().message()).satisfies(reason("repair-tasks.repairer-tests-machine"));
    assertThat(state()).as("DONE is no test that was passed").isEqualTo(NodeState.QUARANTINED);

    machines.says(RepairAnswer.Word.PASSED);
    tick();
    assertThat(repair().steps()).allMatch(Repair.StepTaken::done);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    assertThat(stores.health().standing(world.cluster().id())).isEmpty();
    boots("boot-1");
    assertThat(state()).isEqualTo(NodeState.ACTIVE);
    assertThat(audited())
        .containsExactly("orderRepair DONE", "releaseNode " + world.node("n1").id().text());
  }

  /** Changes by the repairer, the first one first. */
  private List<String> audited() {
    String actor = "repairer/" + world.cluster().name();
    AuditFilter all = new AuditFilter(actor, null, null, null, null, null);
    return stores
        .transactions()
        .call(() -> stores.audit().newest(first.id(), all, AuditPosition.END, 10))
        .reversed()
        .stream()
        .map(row -> row.operation() + " " + row.detail().getOrDefault("order", row.subject()))
        .toList();
  }

  /** Fails when a machine that fails its test returns, or gets the same step again. */
  @Test
  void machineThatFailsItsTestEscalates() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    assertThat(repair().state()).as("it was not asked to test").isEqualTo(RepairState.ASKED);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    machines.says(RepairAnswer.Word.FAILED);
    tick();
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(repair().steps().getLast().by()).isEqualTo("the repairer's test");
    assertThat(state()).isEqualTo(NodeState.QUARANTINED);
    tick();
    assertThat(machines.calls.getLast().task().step()).isEqualTo(RepairStep.REBOOT);
  }

  /** Fails when a hanging test returns the machine, or blocks it permanently. */
  @Test
  void hangingTestIsWithdrawn() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    machines.says(RepairAnswer.Word.PENDING);
    tick(Duration.ofMinutes(61));
    tick();
    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);
    machines.says(RepairAnswer.Word.WITHDRAWN);
    tick();
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
  }

  /** Fails when a test ends an operator's hold. */
  @Test
  void machineHeldByAnOperatorStays() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    List<Quarantine> held = quarantines.hold(olga, "n1", "I look at it", null, false);
    assertThat(held).hasSize(1);
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    tick();

    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
    assertThat(state()).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when a test ends a quarantine although its fault occurs during the test. */
  @Test
  void machineWithTheFaultDuringTheTestStays() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    shows("GPU-1", 79, Judgement.Verdict.FATAL, null);
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    tick();

    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
    assertThat(state()).isEqualTo(NodeState.QUARANTINED);
  }

  private void shows(
      @Nullable String gpu, int xid, Judgement.Verdict verdict, @Nullable IncidentId joined) {
    stores.advance(Duration.ofSeconds(1));
    Instant at = stores.clock().instant();
    Node node = world.node("n1");
    HealthEvent event = new HealthEvent("e-1", at, "n1", gpu, null, xid, "");
    HealthRecord row = new HealthRecord(event, node.id(), verdict, joined);
    assertThat(stores.health().insert(node.cluster(), List.of(row), at)).containsExactly("e-1");
  }

  /**
   * Fails when a test ends the quarantine of another fault that joined the incident during it: of
   * the same device, or of a machine without one. Also fails when a harmless event blocks the
   * return.
   */
  @ParameterizedTest
  @CsvSource({"GPU-1, FATAL, QUARANTINED", ", FATAL, QUARANTINED", "GPU-1, HARMLESS, ACTIVE"})
  void machineWithAGrowingIncidentDuringTheTestStays(
      @Nullable String gpu, Judgement.Verdict verdict, NodeState then) {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    shows(gpu, 95, verdict, stores.health().isolating(world.cluster().id()).getFirst().id());
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    tick();
    boots("boot-1");

    assertThat(state()).isEqualTo(then);
  }

  /** Fails when a machine that returns faulty is reset repeatedly. */
  @Test
  void machineThatReturnsUnhealthyEscalates() {
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    quarantines.release(olga, "n1", "diagnosis passed", false);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    tick(Duration.ofHours(20));
    boots("boot-1");
    isolated(RepairStep.RESET_GPU);
    tick();

    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(machines.calls.getLast().task().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(
            metrics
                .get("fairlead.repair.between")
                .tag("step", "RESET_GPU")
                .timer()
                .totalTime(TimeUnit.HOURS))
        .isBetween(20.0, 20.1);
    assertThat(machines.calls.getLast().cause()).endsWith("again within 7 days after RESET_GPU");
  }
}
