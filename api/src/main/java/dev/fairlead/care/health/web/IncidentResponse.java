package dev.fairlead.care.health.web;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.Quarantine;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.service.Incidents;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a device or a machine, or an attempt that hung.
 *
 * @param cluster name of it
 * @param node name of it; of an attempt the first of its nodes
 * @param nodes names of all its nodes, of a fault of its one
 * @param gpu UUID of the device, null when it is not known
 * @param serial serial number of the device, null when it is not known
 * @param xid the driver's code; 0 for a code of DCGM, for what a condition of the node said, and
 *     for an attempt
 * @param code the XID in digits, or the name of the code of DCGM; null where there is none
 * @param cause the error, or the condition, in words
 * @param scope what is sick; its node takes nothing new in either case
 * @param step what repairs it
 * @param openedAt time of its first event
 * @param lastAt time of the last event of its first burst
 * @param events how many belong to it
 * @param isolation what was done, or why nothing was
 * @param quarantine null when nothing was isolated
 * @param job that hung, null for a fault
 * @param attempt that hung, null for a fault
 * @param endedAt null while it is open
 */
record IncidentResponse(
    String id,
    String cluster,
    String node,
    List<String> nodes,
    @Nullable String gpu,
    @Nullable String serial,
    int xid,
    @Nullable String code,
    String cause,
    FaultScope scope,
    RepairStep step,
    Instant openedAt,
    Instant lastAt,
    int events,
    String isolation,
    @Nullable QuarantineResponse quarantine,
    @Nullable String job,
    @Nullable String attempt,
    @Nullable Instant endedAt) {
  private static final String STOPPED =
      "its attempt was stopped; no node is taken out of use, since a hang does not say which"
          + " machine is at fault";

  /**
   * Why and how long a node takes nothing new.
   *
   * @param incident null for one that an operator ordered without any
   * @param domainQuarantine the quarantine of a topology domain that made it and ends it, null for
   *     the node's own
   * @param owner the operator that holds it, null while Fairlead alone does
   * @param until when it ends by itself, null while an operator holds it
   * @param releasedAt null while it stands
   * @param released by what or by which operator it ended, and why
   */
  record QuarantineResponse(
      String id,
      @Nullable String incident,
      @Nullable String domainQuarantine,
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
          quarantine.domain() == null ? null : quarantine.domain().text(),
          quarantine.cause(),
          quarantine.owner(),
          quarantine.since(),
          quarantine.until(),
          quarantine.releasedAt(),
          quarantine.released());
    }
  }

  static IncidentResponse of(Incidents.View view) {
    return switch (view) {
      case Incidents.View.Fault fault -> of(fault.incident(), fault.cluster(), fault.quarantine());
      case Incidents.View.Silent silent -> of(silent.hang(), silent.cluster());
    };
  }

  private static IncidentResponse of(
      Incident incident, String cluster, @Nullable Quarantine quarantine) {
    return new IncidentResponse(
        incident.id().text(),
        cluster,
        incident.nodeName(),
        List.of(incident.nodeName()),
        incident.gpu(),
        incident.serial(),
        incident.xid() < XidTable.DCGM ? incident.xid() : 0,
        incident.xid() == 0 ? null : XidTable.symbol(incident.xid()),
        incident.cause(),
        incident.scope(),
        incident.step(),
        incident.openedAt(),
        incident.lastAt(),
        incident.events(),
        incident.isolation(),
        quarantine == null ? null : QuarantineResponse.of(quarantine),
        null,
        null,
        incident.endedAt());
  }

  private static IncidentResponse of(Hang hang, String cluster) {
    List<String> nodes = List.copyOf(hang.nodes().values());
    return new IncidentResponse(
        hang.id().text(),
        cluster,
        nodes.isEmpty() ? "" : nodes.getFirst(),
        nodes,
        null,
        null,
        0,
        null,
        hang.cause(),
        FaultScope.NONE,
        RepairStep.RESTART_JOB,
        hang.since(),
        hang.at(),
        1,
        STOPPED,
        null,
        hang.job().text(),
        hang.attempt(),
        hang.at());
  }
}
