package dev.fairlead.care.health.service.repair;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Step-by-step repair of an isolated node, by orders of operators. */
class RepairLoopTest extends RepairLoopScene {

  /** Fails when the ladder is not walked from the quarantine to its end. */
  @Test
  void nodeRepairIsRequestedDoneAndReleased() {
    tick();
    assertThat(repairs.list(null, false, null, 10)).isEmpty();
    isolated(RepairStep.REBOOT);

    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
    stores.advance(Duration.ofMinutes(7));
    assertThat(order(RepairOrder.DONE).state()).isEqualTo(RepairState.REPAIRED);
    tick();
    assertThat(repair().state()).as("an operator releases it").isEqualTo(RepairState.REPAIRED);

    quarantines.release(olga, "n1", "diagnosis passed", false);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    assertThat(repair().steps()).extracting(Repair.StepTaken::by).containsExactly("olga");
    assertThat(
            metrics
                .get("fairlead.repair.step")
                .tag("step", "REBOOT")
                .timer()
                .totalTime(TimeUnit.MINUTES))
        .isEqualTo(7);
    assertThat(stores.auditEntries()).anyMatch(row -> row.operation().equals("orderRepair"));
  }

  /** Fails when a failed pass prevents the extension of quarantines. */
  @Test
  void failedPassEndsNoQuarantine() {
    isolated(RepairStep.REPLACE);
    tick();
    assertThat(repair().keepsOut()).isTrue();
    meanwhile =
        () -> {
          throw new IllegalStateException("pods cannot be counted");
        };

    assertThatThrownBy(() -> tick(Duration.ofHours(13))).hasMessageContaining("cannot be counted");

    assertThat(standing().due(stores.clock().instant().plus(Duration.ofHours(12)))).isFalse();
  }

  /** Fails when a paused repair times out without being done. */
  @Test
  void heldRepairKeepsTheNodeOutOfUse() {
    Attempt _ = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);
    tick();
    Repair _ = order(RepairOrder.HOLD);
    tick(Duration.ofHours(20));
    tick(Duration.ofHours(20));

    assertThat(standing().due(stores.clock().instant())).isFalse();
  }

  /** Fails when the history of a removed machine cannot be read. */
  @Test
  void repairsOfADepartedNodeAreFoundByItsId() {
    isolated(RepairStep.REPLACE);
    tick();
    String id = world.node("n1").id().text();
    world.report();
    tick(Duration.ofDays(8));
    world.report();

    assertThat(stores.inventory().nodes(null)).isEmpty();
    assertThat(repairs.list(id, false, null, 10)).hasSize(1);
  }

  /** Fails when a device whose fault returns after its repair waits unnoticed for its release. */
  @Test
  void recurringFaultRequestsTheNextStep() {
    isolated(RepairStep.RESET_GPU);
    seen("e-1");
    tick();
    Repair _ = order(RepairOrder.DONE);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);

    seen("e-2");
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(repair().cause()).endsWith(", after RESET_GPU was done");
  }

  /** Fails when a process that takes over begins a second repair, or repeats a request. */
  @Test
  void anotherProcessResumesFromTheRow() {
    isolated(RepairStep.RESET_GPU);
    tick();
    Repair before = repair();
    loop.close();
    loop = loop("two");

    tick();
    tick();
    assertThat(repairs.list("n1", false, null, 10)).hasSize(1);
    assertThat(repair()).isEqualTo(before);
  }

  /** Fails when an order for one step ends a later one, or skips two. */
  @Test
  void orderAppliesToTheStepThatTheOperatorRead() {
    isolated(RepairStep.RESET_GPU);
    tick();
    assertThat(order(RepairOrder.SKIP).step()).isEqualTo(RepairStep.REBOOT);
    tick();

    for (RepairOrder order : List.of(RepairOrder.SKIP, RepairOrder.DONE)) {
      assertThatThrownBy(() ->
              repairs.order(olga, repair().id(), order, RepairStep.RESET_GPU, "because", false))
          .isInstanceOf(Refusal.class)
          .satisfies(problem("repair-loop.step-reboot-asked", "REBOOT", "RESET_GPU", "ASKED"));
    }
    assertThat(repair().steps()).hasSize(1);
  }

  /** Fails when an order without effect is accepted, or a dry run changes something. */
  @Test
  void invalidOrderIsRejectedWithTheValidOnes() {
    isolated(RepairStep.RESET_GPU);
    tick();

    assertThatThrownBy(() -> order(RepairOrder.RESUME))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("RESUME has no effect")
        .hasMessageContaining("ordered HOLD, SKIP, DONE");
    repairs.order(olga, repair().id(), RepairOrder.SKIP, RepairStep.RESET_GPU, "because", true);
    assertThat(repair().step()).isEqualTo(RepairStep.RESET_GPU);
    Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_OWNER);
    assertThatThrownBy(() ->
            repairs.order(
                ana, repair().id(), RepairOrder.SKIP, RepairStep.RESET_GPU, "because", false))
        .isInstanceOf(Refusal.class);
  }
}
