package dev.fairlead.care.health.repair;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Repairs;
import dev.fairlead.fleet.node.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The repair steps of a node. */
class RepairPlanTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final NodeId NODE = node(1);
  private final Map<NodeId, List<Repair>> past = new TreeMap<>();
  private int made;

  private static NodeId node(int number) {
    return new NodeId(new UUID(0, number));
  }

  private List<Repair> plan(List<Repair> open, List<Incident> faults, Map<NodeId, Long> busy) {
    return plan(open, faults, Set.of(), busy);
  }

  private List<Repair> plan(
      List<Repair> open, List<Incident> faults, Set<IncidentId> again, Map<NodeId, Long> busy) {
    return RepairPlan.changes(
        open, faults, again, past, busy, () -> new RepairId(new UUID(1, made++)), NOW);
  }

  private Repair begun(RepairStep step) {
    return plan(List.of(), List.of(Repairs.incident(NODE, step, NOW)), new TreeMap<>()).getFirst();
  }

  private static Repair after(Repair repair, RepairOrder order) {
    return repair.ordered(order, "olga", NOW).orElseThrow();
  }

  /** Fails when the step differs from the table, or a fault without a step gets one. */
  @Test
  void nodeGetsTheStepOfItsIncident() {
    assertThat(begun(RepairStep.REBOOT).state()).isEqualTo(RepairState.ASKED);
    assertThat(begun(RepairStep.REBOOT).step()).isEqualTo(RepairStep.REBOOT);
    assertThat(
            plan(
                List.of(),
                List.of(Repairs.incident(NODE, RepairStep.RESTART_JOB, NOW)),
                new TreeMap<>()))
        .isEmpty();
  }

  /** Fails when a machine is repaired while jobs run on it. */
  @Test
  void noStepIsRequestedWhileJobsHoldTheNode() {
    List<Incident> faults = List.of(Repairs.incident(NODE, RepairStep.REBOOT, NOW));
    Repair waits = plan(List.of(), faults, Map.of(NODE, 2L)).getFirst();

    assertThat(waits.state()).isEqualTo(RepairState.WAITING);
    assertThat(waits.message()).satisfies(reason("repair-plan.pods-jobs-node", 2));
    assertThat(plan(List.of(waits), faults, Map.of(NODE, 2L))).isEmpty();
    assertThat(plan(List.of(waits), faults, new TreeMap<>()).getFirst().state())
        .isEqualTo(RepairState.ASKED);
    assertThat(after(waits, RepairOrder.FORCE).state()).isEqualTo(RepairState.ASKED);
  }

  /** Fails when a wrong table isolates a whole cluster. */
  @Test
  void atMostTenMachinesOfAClusterRepairThemselvesAtATime() {
    List<Incident> faults = new ArrayList<>();
    for (int i = 1; i <= RepairPlan.MOST + 2; i++) {
      faults.add(Repairs.incident(node(i), RepairStep.RESET_GPU, NOW));
    }
    faults.add(Repairs.incident(node(99), RepairStep.REPLACE, NOW));
    List<Repair> begun = plan(List.of(), faults, new TreeMap<>());

    assertThat(begun).hasSize(RepairPlan.MOST + 3);
    assertThat(begun)
        .filteredOn(each -> each.state() == RepairState.WAITING)
        .hasSize(2)
        .allMatch(each -> each.message().startsWith("10 nodes of its cluster"));
    assertThat(begun.getLast().state()).isEqualTo(RepairState.ASKED);
  }

  /** Fails when an operator's hold is overridden, or does not end. */
  @Test
  void operatorPausesAndResumesARepair() {
    Repair skipped = after(begun(RepairStep.RESET_GPU), RepairOrder.SKIP);
    Repair held = after(skipped, RepairOrder.HOLD);
    List<Incident> faults = List.of(Repairs.incident(NODE, RepairStep.RESET_GPU, NOW));

    assertThat(skipped.step()).isEqualTo(RepairStep.REBOOT);
    assertThat(skipped.steps()).hasSize(1).noneMatch(Repair.StepTaken::done);
    assertThat(plan(List.of(held), faults, new TreeMap<>())).isEmpty();
    assertThat(held.ordered(RepairOrder.HOLD, "otto", NOW)).isEmpty();
    Repair resumed = after(held, RepairOrder.RESUME);
    assertThat(plan(List.of(resumed), faults, new TreeMap<>()).getFirst().state())
        .isEqualTo(RepairState.ASKED);
  }

  /** Fails when a repaired node returns to service, or the ladder continues, without an order. */
  @Test
  void completedStepLeavesTheRestToAnOperator() {
    Repair done = after(begun(RepairStep.REBOOT), RepairOrder.DONE);
    List<Incident> faults = List.of(Repairs.incident(NODE, RepairStep.REBOOT, NOW));

    assertThat(done.state()).isEqualTo(RepairState.REPAIRED);
    assertThat(done.steps()).hasSize(1).allMatch(Repair.StepTaken::done);
    assertThat(plan(List.of(done), faults, new TreeMap<>())).isEmpty();
    assertThat(after(done, RepairOrder.FORCE).step()).isEqualTo(RepairStep.POWER_CYCLE);
    Repair ended = plan(List.of(done), List.of(), new TreeMap<>()).getFirst();
    assertThat(ended.state()).isEqualTo(RepairState.ENDED);
    for (RepairOrder order : RepairOrder.values()) {
      assertThat(ended.ordered(order, "olga", NOW)).as(order.name()).isEmpty();
    }
  }

  /** Fails when a device that gets worse is repaired by the weaker step. */
  @Test
  void worseningFaultEscalatesToTheStrongerStep() {
    Repair reset = begun(RepairStep.RESET_GPU);
    Repair now =
        plan(
                List.of(reset),
                List.of(Repairs.incident(NODE, RepairStep.REPLACE, NOW)),
                new TreeMap<>())
            .getFirst();

    assertThat(now.step()).isEqualTo(RepairStep.REPLACE);
    assertThat(now.state()).isEqualTo(RepairState.ASKED);
    assertThat(now.steps()).extracting(Repair.StepTaken::by).containsExactly("the fault got worse");
  }

  /** Fails when a fault that recurs after its step is not reported. */
  @Test
  void recurringFaultContinuesWithTheNextStep() {
    Repair done = after(begun(RepairStep.REBOOT), RepairOrder.DONE);
    List<Incident> faults = List.of(Repairs.incident(NODE, RepairStep.REBOOT, NOW));
    Repair now =
        plan(List.of(done), faults, Set.of(faults.getFirst().id()), new TreeMap<>()).getFirst();

    assertThat(now.step()).isEqualTo(RepairStep.POWER_CYCLE);
    assertThat(now.state()).isEqualTo(RepairState.ASKED);
    assertThat(now.cause()).endsWith(", after REBOOT was done");
    assertThat(now.steps()).hasSize(1);
    assertThat(plan(List.of(now), faults, Set.of(), new TreeMap<>())).isEmpty();
  }

  /** Fails when a fault after a finished step is ignored, or gets a step that is too weak. */
  @Test
  void differentFaultAfterACompletedStepOpensANewTicket() {
    Repair done = after(begun(RepairStep.REBOOT), RepairOrder.DONE);
    List<Incident> faults =
        List.of(
            Repairs.incident(NODE, RepairStep.REBOOT, NOW),
            Repairs.incident(NODE, RepairStep.RESET_GPU, NOW.plusSeconds(1)));
    Repair now = plan(List.of(done), faults, new TreeMap<>()).getFirst();

    assertThat(now.step()).isEqualTo(RepairStep.REBOOT);
    assertThat(now.state()).isEqualTo(RepairState.ASKED);
    assertThat(plan(List.of(now), faults, new TreeMap<>())).isEmpty();
  }

  /** Fails when a step that hangs is not seen. */
  @Test
  void stepBeyondItsTimeLimitIsOverdue() {
    Repair reboot = begun(RepairStep.REBOOT);

    assertThat(reboot.overdue(NOW.plus(RepairStep.REBOOT.allowed()))).isFalse();
    assertThat(reboot.overdue(NOW.plus(RepairStep.REBOOT.allowed()).plusSeconds(1))).isTrue();
    assertThat(after(reboot, RepairOrder.DONE).overdue(NOW.plusSeconds(1_000_000))).isFalse();
  }

  private Repair ended(RepairStep step, Instant at) {
    return after(begun(step), RepairOrder.DONE).ended(at);
  }

  /** Fails when a machine repeatedly gets a step that did not help. */
  @Test
  void sameFaultWithinSevenDaysEscalatesTheLadder() {
    past.put(NODE, List.of(ended(RepairStep.REBOOT, NOW.minus(Duration.ofDays(6)))));
    Repair again = begun(RepairStep.REBOOT);

    assertThat(again.step()).isEqualTo(RepairStep.POWER_CYCLE);
    assertThat(again.state()).isEqualTo(RepairState.ASKED);
    assertThat(again.cause()).satisfies(reason("repair-plan.gpu-fallen-off-bus", 7, "REBOOT"));
    past.put(NODE, List.of(after(again, RepairOrder.DONE).ended(NOW)));
    assertThat(begun(RepairStep.REBOOT).step()).isEqualTo(RepairStep.SERVICE);
    assertThat(begun(RepairStep.REPLACE).cause()).as("stronger by itself").endsWith("the bus)");
  }

  /** Fails when an old, skipped or unrelated repair escalates the step. */
  @Test
  void unrelatedReportKeepsTheStepOfTheFault() {
    past.put(NODE, List.of(ended(RepairStep.REBOOT, NOW.minus(Duration.ofDays(8)))));
    assertThat(begun(RepairStep.REBOOT).step()).isEqualTo(RepairStep.REBOOT);

    Repair released = begun(RepairStep.REBOOT).ended(NOW);
    past.put(NODE, List.of(released));
    assertThat(begun(RepairStep.REBOOT).step()).isEqualTo(RepairStep.REBOOT);

    Repair other = ended(RepairStep.POWER_CYCLE, NOW).beginning(RepairStep.POWER_CYCLE, "x");
    past.put(NODE, List.of(of("XID 7", other)));
    assertThat(begun(RepairStep.REBOOT).step()).isEqualTo(RepairStep.REBOOT);
  }

  private static Repair of(String cause, Repair r) {
    return r.withCause(cause);
  }

  /** Fails when a machine is reset day after day for faults that differ. */
  @Test
  void fifthRepairWithinSevenDaysIsForAnOperator() {
    Repair one = of("XID 7", ended(RepairStep.RESET_GPU, NOW));
    past.put(NODE, List.of(one, one, one));
    assertThat(begun(RepairStep.RESET_GPU).step()).isEqualTo(RepairStep.RESET_GPU);
    past.put(NODE, List.of(one, one, one, one));
    assertThat(begun(RepairStep.RESET_GPU).step()).isEqualTo(RepairStep.SERVICE);
    assertThat(begun(RepairStep.RESET_GPU).cause()).endsWith("repair 5 within 7 days");
    assertThat(begun(RepairStep.REPLACE).step()).isEqualTo(RepairStep.REPLACE);
  }
}
