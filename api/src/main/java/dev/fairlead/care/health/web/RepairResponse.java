package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.care.health.service.repair.Repairs;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The repair of a quarantined node: its steps on the repair ladder.
 *
 * @param cluster name of the cluster
 * @param incident incident with the strongest step
 * @param cause description of the error
 * @param step step that is due or was done last
 * @param message condition that the repair waits for, empty if none
 * @param heldBy operator that holds the repair, null if none
 * @param askedAt time when the step was requested, null until then
 * @param overdue whether the step exceeds its time limit
 * @param steps finished steps, in order
 * @param endedAt time of the end, null while the node has a quarantine of an incident
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
    List<Repair.StepTaken> steps,
    @Nullable Instant endedAt) {
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
        repair.steps(),
        repair.endedAt());
  }
}
