package dev.fairlead.care.health.web;

import dev.fairlead.care.health.Repair;
import dev.fairlead.care.health.RepairState;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.service.Repairs;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of a quarantined node up the repair ladder.
 *
 * @param cluster name of it
 * @param incident the one with the strongest step
 * @param cause the error in words
 * @param step that is due or was done last
 * @param message what it waits for, empty for nothing
 * @param heldBy the operator that holds it, null for none
 * @param askedAt when the step was asked for, null while it is not
 * @param overdue whether the step takes longer than it may
 * @param steps those that are over, in their order
 * @param endedAt null while its node has a quarantine of an incident
 */
record RepairResponse(
    String id,
    String cluster,
    String node,
    String incident,
    String cause,
    RepairStep step,
    RepairState state,
    String message,
    @Nullable String heldBy,
    Instant openedAt,
    @Nullable Instant askedAt,
    boolean overdue,
    List<StepTaken> steps,
    @Nullable Instant endedAt) {
  /**
   * A step that is over.
   *
   * @param askedAt null when it never was asked for
   * @param done false for one that was left out
   * @param by the operator that said so, or what else did
   */
  record StepTaken(
      RepairStep step, @Nullable Instant askedAt, Instant at, boolean done, String by) {}

  static RepairResponse of(Repairs.View view) {
    Repair repair = view.repair();
    return new RepairResponse(
        repair.id().text(),
        view.cluster(),
        repair.nodeName(),
        repair.incident().text(),
        repair.cause(),
        repair.step(),
        repair.state(),
        repair.message(),
        repair.heldBy(),
        repair.openedAt(),
        repair.askedAt(),
        view.overdue(),
        repair.steps().stream()
            .map(s -> new StepTaken(s.step(), s.askedAt(), s.at(), s.done(), s.by()))
            .toList(),
        repair.endedAt());
  }
}
