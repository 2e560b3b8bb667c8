package dev.fairlead.health.web;

import dev.fairlead.health.FaultScope;
import dev.fairlead.health.Incident;
import dev.fairlead.health.Quarantine;
import dev.fairlead.health.RepairStep;
import dev.fairlead.health.service.Incidents;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a device or a machine.
 *
 * @param cluster name of it
 * @param gpu UUID of the device, null when it is not known
 * @param serial serial number of the device, null when it is not known
 * @param xid the driver's code; 0 for what a condition of the node said
 * @param cause the error, or the condition, in words
 * @param scope what is sick; its node takes nothing new in either case
 * @param step what repairs it
 * @param openedAt time of its first event
 * @param lastAt time of the last event of its first burst
 * @param events how many belong to it
 * @param isolation what was done, or why nothing was
 * @param quarantine null when nothing was isolated
 * @param endedAt null while it is open
 */
record IncidentResponse(
    String id,
    String cluster,
    String node,
    @Nullable String gpu,
    @Nullable String serial,
    int xid,
    String cause,
    FaultScope scope,
    RepairStep step,
    Instant openedAt,
    Instant lastAt,
    int events,
    String isolation,
    @Nullable QuarantineResponse quarantine,
    @Nullable Instant endedAt) {
  /**
   * Why and how long a node takes nothing new.
   *
   * @param incident null for one that an operator ordered without any
   * @param owner the operator that holds it, null while Fairlead alone does
   * @param until when it ends by itself, null while an operator holds it
   * @param releasedAt null while it stands
   * @param released by what or by which operator it ended, and why
   */
  record QuarantineResponse(
      String id,
      @Nullable String incident,
      String cause,
      @Nullable String owner,
      Instant since,
      @Nullable Instant until,
      @Nullable Instant releasedAt,
      @Nullable String released) {
    static QuarantineResponse of(Quarantine quarantine) {
      return new QuarantineResponse(
          quarantine.id().text(),
          quarantine.incident() == null ? null : quarantine.incident().text(),
          quarantine.cause(),
          quarantine.owner(),
          quarantine.since(),
          quarantine.until(),
          quarantine.releasedAt(),
          quarantine.released());
    }
  }

  static IncidentResponse of(Incidents.View view) {
    Incident incident = view.incident();
    Quarantine quarantine = view.quarantine();
    return new IncidentResponse(
        incident.id().text(),
        view.cluster(),
        incident.nodeName(),
        incident.gpu(),
        incident.serial(),
        incident.xid(),
        incident.cause(),
        incident.scope(),
        incident.step(),
        incident.openedAt(),
        incident.lastAt(),
        incident.events(),
        incident.isolation(),
        quarantine == null ? null : QuarantineResponse.of(quarantine),
        incident.endedAt());
  }
}
