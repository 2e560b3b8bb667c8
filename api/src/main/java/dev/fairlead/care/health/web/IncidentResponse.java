package dev.fairlead.care.health.web;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.Incidents;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a device or a machine, or an attempt that hung.
 *
 * @param cluster name of the cluster
 * @param node name of the node, for an attempt its first node
 * @param nodes names of all nodes, a single one for a fault
 * @param gpu UUID of the device, null if unknown
 * @param serial serial number of the device, null if unknown
 * @param xid code of the driver, 0 for a DCGM code, a node condition, and an attempt
 * @param code XID in digits, or name of the DCGM code, null if there is no code
 * @param cause description of the error or the condition
 * @param scope affected scope. {@code quarantine} has the excluded scope
 * @param step repair step
 * @param openedAt time of the first event
 * @param lastAt time of the last event of the first burst
 * @param events number of events of the incident
 * @param isolation isolation, or the reason why nothing was isolated
 * @param quarantine quarantine of the node or of the device alone, null if nothing is isolated
 * @param unknownHolder question to an operator about the holder of the device, null if it is known
 *     or decided on
 * @param job job that hung, null for a fault
 * @param attempt attempt that hung, null for a fault
 * @param endedAt time of the end, null while the incident is open
 */
@RecordBuilder
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
    @Nullable UnknownHolderResponse unknownHolder,
    @Nullable String job,
    @Nullable String attempt,
    @Nullable Instant endedAt) {
  private static final String STOPPED =
      "its attempt was stopped. No node is taken out of service, because a hang does not show"
          + " which machine is at fault.";

  /**
   * Reason, scope and duration of a quarantine.
   *
   * @param scope GPU if only the device accepts no new jobs, NODE for the whole node
   * @param gpu UUID of the excluded device, null for the whole node
   * @param incident id of the incident, null for an operator's order without one
   * @param domainQuarantine domain quarantine that caused and ends it, null for the node's own
   * @param owner operator that holds it, null if only Fairlead does
   * @param until end of the quarantine, null while an operator holds it
   * @param releasedAt time of the release, null while the quarantine is active
   * @param released cause or operator of the end, with the reason
   */
  @RecordBuilder
  record QuarantineResponse(
      String id,
      FaultScope scope,
      @Nullable String gpu,
      @Nullable String incident,
      @Nullable String domainQuarantine,
      String cause,
      @Nullable String owner,
      Instant since,
      @Nullable Instant until,
      @Nullable Instant releasedAt,
      @Nullable String released) {
    static QuarantineResponse of(Quarantine quarantine) {
      return IncidentResponseQuarantineResponseBuilder.builder()
          .gpu(quarantine.gpu())
          .cause(quarantine.cause())
          .owner(quarantine.owner())
          .since(quarantine.since())
          .until(quarantine.until())
          .releasedAt(quarantine.releasedAt())
          .released(quarantine.released())
          .id(quarantine.id().text())
          .scope(quarantine.ofNode() ? FaultScope.NODE : FaultScope.GPU)
          .incident(quarantine.incident() == null ? null : quarantine.incident().text())
          .domainQuarantine(quarantine.domain() == null ? null : quarantine.domain().text())
          .build();
    }
  }

  /**
   * Question to an operator about a faulty device whose holder is unknown.
   *
   * @param candidates candidates for the holder of the device
   * @param until time until which an operator may drain the node, cancel a job or hold the
   *     quarantine
   * @param then policy after that time without a decision
   */
  record UnknownHolderResponse(
      List<CandidateResponse> candidates, Instant until, UnknownHolder.Then then) {
    /**
     * A member that may hold a faulty device.
     *
     * @param job id of the job
     * @param name name of the job
     * @param member role and index of the member
     */
    record CandidateResponse(String job, String name, String member) {}

    static UnknownHolderResponse of(Incidents.Question question) {
      return new UnknownHolderResponse(
          question.candidates().stream()
              .map(c -> new CandidateResponse(c.job().text(), c.name(), c.member()))
              .toList(),
          question.until(),
          question.then());
    }
  }

  static IncidentResponse of(Incidents.View view) {
    return switch (view) {
      case Incidents.View.Fault fault -> of(fault);
      case Incidents.View.Silent silent -> of(silent.hang(), silent.cluster());
    };
  }

  private static IncidentResponse of(Incidents.View.Fault fault) {
    Incident incident = fault.incident();
    Quarantine quarantine = fault.quarantine();
    Incidents.Question question = fault.question();
    return IncidentResponseBuilder.builder()
        .id(incident.id().text())
        .cluster(fault.cluster())
        .node(incident.nodeName())
        .nodes(List.of(incident.nodeName()))
        .gpu(incident.gpu())
        .serial(incident.serial())
        .xid(incident.xid() < XidTable.DCGM ? incident.xid() : 0)
        .code(incident.xid() == 0 ? null : XidTable.symbol(incident.xid()))
        .cause(incident.cause())
        .scope(incident.scope())
        .step(incident.step())
        .openedAt(incident.openedAt())
        .lastAt(incident.lastAt())
        .events(incident.events())
        .isolation(incident.isolation())
        .quarantine(quarantine == null ? null : QuarantineResponse.of(quarantine))
        .unknownHolder(question == null ? null : UnknownHolderResponse.of(question))
        .job(null)
        .attempt(null)
        .endedAt(incident.endedAt())
        .build();
  }

  private static IncidentResponse of(Hang hang, String cluster) {
    List<String> nodes = List.copyOf(hang.nodes().values());
    return IncidentResponseBuilder.builder()
        .id(hang.id().text())
        .cluster(cluster)
        .node(nodes.isEmpty() ? "" : nodes.getFirst())
        .nodes(nodes)
        .gpu(null)
        .serial(null)
        .xid(0)
        .code(null)
        .cause(hang.cause())
        .scope(FaultScope.NONE)
        .step(RepairStep.RESTART_JOB)
        .openedAt(hang.since())
        .lastAt(hang.at())
        .events(1)
        .isolation(STOPPED)
        .quarantine(null)
        .unknownHolder(null)
        .job(hang.job().text())
        .attempt(hang.attempt())
        .endedAt(hang.at())
        .build();
  }
}
