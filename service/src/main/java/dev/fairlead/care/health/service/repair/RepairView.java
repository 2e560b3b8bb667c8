package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairState;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The repair of a quarantined node: its steps on the repair ladder.
 *
 * @param cluster name of the cluster
 * @param incident incident with the strongest step
 * @param cause description of the error
 * @param step step that is due, or the last completed step
 * @param message condition that the repair waits for, empty if none
 * @param heldBy operator that holds the repair, null if none
 * @param askedAt time when the step was requested, null before the request
 * @param overdue whether the step exceeds its time limit
 * @param steps finished steps, in order
 * @param endedAt time of the end, null while the node has a quarantine of an incident
 */
@RecordBuilder
@Schema(name = "RepairResponse")
public record RepairView(
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
  /**
   * @param cluster name of its cluster
   */
  static RepairView of(Repair repair, String cluster, Instant now) {
    return RepairViewBuilder.builder()
        .id(repair.id().text())
        .cluster(cluster)
        .node(repair.nodeName())
        .incident(repair.incident().text())
        .cause(repair.cause())
        .step(repair.step())
        .state(repair.state())
        .message(repair.message())
        .heldBy(repair.heldBy())
        .openedAt(repair.openedAt())
        .askedAt(repair.askedAt())
        .overdue(repair.overdue(now))
        .steps(repair.steps())
        .endedAt(repair.endedAt())
        .build();
  }
}
