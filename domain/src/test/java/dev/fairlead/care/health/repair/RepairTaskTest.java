package dev.fairlead.care.health.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Repairs;
import dev.fairlead.care.health.repair.RepairAnswer.Word;
import dev.fairlead.fleet.node.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Responses of a repairer, and their effect on its task. */
class RepairTaskTest {
  private static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");

  private static Repair repair(RepairStep step) {
    return Repairs.of(new RepairId(new UUID(1, 1)), new NodeId(new UUID(1, 2)), step, AT).asked(AT);
  }

  private static RepairTask task(RepairStep step, String boot) {
    return RepairTask.of(new RepairTaskId(new UUID(1, 3)), repair(step), "nonce", boot, false, AT);
  }

  private static RepairAnswer says(Word word) {
    return new RepairAnswer.Answered(word, "nonce", false, "", "");
  }

  /** Fails when a machine without a visible boot, or a step without a boot, never finishes. */
  @Test
  void bootIsRequiredWhereAStepRebootsAndBootIdsAreVisible() {
    assertThat(task(RepairStep.RESET_GPU, "a").answered(says(Word.DONE), "a", AT).state())
        .isEqualTo(RepairTaskState.DONE);
    assertThat(task(RepairStep.REBOOT, "").answered(says(Word.DONE), "b", AT).state())
        .isEqualTo(RepairTaskState.DONE);
    assertThat(task(RepairStep.REBOOT, "a").answered(says(Word.DONE), "a", AT).state())
        .isEqualTo(RepairTaskState.ORDERED);
    assertThat(task(RepairStep.REBOOT, "a").answered(says(Word.DONE), "", AT).state())
        .as("not seen")
        .isEqualTo(RepairTaskState.ORDERED);
    assertThat(task(RepairStep.POWER_CYCLE, "a").answered(says(Word.DONE), "b", AT).state())
        .isEqualTo(RepairTaskState.DONE);
  }

  /** Fails when a silent repairer is called without pause, or never again. */
  @Test
  void unresponsiveRepairerIsCalledAtGrowingIntervals() {
    RepairTask task = task(RepairStep.REBOOT, "a");
    Duration before = Duration.ZERO;
    for (int i = 0; i < 20; i++) {
      task = task.answered(new RepairAnswer.Unanswered("it hangs"), "a", AT);
      Duration wait = Duration.between(AT, task.talk().next());
      assertThat(wait).isGreaterThanOrEqualTo(before).isLessThanOrEqualTo(Duration.ofMinutes(5));
      before = wait;
    }
    assertThat(task.talk().unanswered()).isEqualTo(20);
    assertThat(task.answered(says(Word.PENDING), "a", AT).talk().unanswered()).isZero();
    assertThat(task.due(AT)).isNull();
    assertThat(task.due(AT.plus(before))).isEqualTo(RepairCall.Action.REPAIR);
  }

  /** Fails when a step without a power cut ends boots, or an unknown boot is ended. */
  @Test
  void onlyPowerStepsEndABoot() {
    RepairAnswer off = new RepairAnswer.Answered(Word.PENDING, "nonce", true, "", "");
    assertThat(task(RepairStep.POWER_CYCLE, "a").answered(off, "a", AT).confirmedOff())
        .isEqualTo(AT);
    assertThat(task(RepairStep.REBOOT, "a").answered(off, "a", AT).confirmedOff()).isNull();
    assertThat(task(RepairStep.POWER_CYCLE, "").answered(off, "a", AT).confirmedOff()).isNull();
    RepairAnswer forged = new RepairAnswer.Answered(Word.PENDING, null, true, "", "");
    assertThat(task(RepairStep.POWER_CYCLE, "a").answered(forged, "a", AT).confirmedOff()).isNull();
  }

  /** Fails when a repair that waits weeks for a part counts as overdue. */
  @Test
  void onlyAutomatedStepsTimeOut() {
    Instant later = AT.plus(Duration.ofDays(30));
    assertThat(task(RepairStep.REPLACE, "a").seen(repair(RepairStep.REPLACE), later).state())
        .isEqualTo(RepairTaskState.ORDERED);
    assertThat(task(RepairStep.REBOOT, "a").seen(repair(RepairStep.REBOOT), later).state())
        .isEqualTo(RepairTaskState.WITHDRAWING);
  }

  /** Fails when a finished task is requested or counts as open. */
  @ParameterizedTest
  @EnumSource(
      value = Word.class,
      names = {"DONE", "REFUSED", "WITHDRAWN"})
  void endedTaskStaysEnded(Word word) {
    RepairTask over = task(RepairStep.RESET_GPU, "a").answered(says(word), "a", AT);
    assertThat(over.state().open()).isFalse();
    assertThat(over.endedAt()).isEqualTo(AT);
    assertThat(over.due(AT.plusSeconds(900))).isNull();
    assertThat(over.seen(null, AT.plus(Duration.ofDays(9)))).isEqualTo(over);
  }

  /** Fails when an earlier order of an operator applies to a later repeat of the step. */
  @Test
  void taskAppliesToOneRequestOnly() {
    RepairTask task = task(RepairStep.REBOOT, "a");
    assertThat(task.serves(repair(RepairStep.REBOOT))).isTrue();
    assertThat(task.serves(repair(RepairStep.REBOOT).asked(AT.plusSeconds(1)))).isFalse();
  }
}
