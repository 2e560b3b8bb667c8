package dev.fairlead.work.job.postgres.read;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptBuilder;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberBuilder;
import dev.fairlead.work.attempt.member.MemberDevices;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.attempt.member.MemberStatus;
import dev.fairlead.work.attempt.member.MemberStatusBuilder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;

/** Converts attempts and members to rows and back. */
public final class AttemptRows {
  private static final TypeReference<List<GpuShare>> SHARES = new TypeReference<>() {};
  private static final TypeReference<List<StoredReport>> REPORTS = new TypeReference<>() {};

  private AttemptRows() {}

  public static void write(RowBatch row, Attempt attempt, TenantId tenant) {
    Attempt.StopOrder stop = attempt.stop();
    row.set("id", attempt.id().value())
        .set("job", attempt.job().value())
        .set("element", attempt.element())
        .set("number", attempt.number())
        .set("tenant", tenant.value())
        .set("state", attempt.state())
        .set("cluster", attempt.cluster().value())
        .set("epoch", attempt.epoch())
        .set("created_at", attempt.createdAt())
        .set("launched_at", attempt.launchedAt())
        .set("started_at", attempt.startedAt())
        .set("unreachable_since", attempt.unreachableSince())
        .set("ended_at", attempt.endedAt())
        .set("stop_cause", stop == null ? null : stop.cause())
        .set("stop_deadline", stop == null ? null : stop.deadline())
        .set("checkpoint_request", attempt.checkpointRequest())
        .set("failure", attempt.failure())
        .set("retired_at", attempt.retiredAt())
        .set("checkpointed_at", attempt.checkpointedAt());
  }

  public static void write(RowBatch row, Attempt attempt, int ordinal, TenantId tenant) {
    Member member = attempt.everyMember().get(ordinal);
    Member.Standing standing = member.standing();
    row.set("attempt", attempt.id().value())
        .set("role", member.role())
        .set("idx", member.index())
        .set("tenant", tenant.value())
        .set("ordinal", ordinal)
        .set("incarnation", member.incarnation())
        .set("state", member.state())
        .set("node", member.node().value())
        .set("node_name", member.nodeName())
        .set("model", member.flavor().model())
        .set("capacity", member.flavor().capacity())
        .set("cpu", member.request().cpuMilli())
        .set("memory_mib", member.request().memoryMiB())
        .set("gpu", member.request().gpuMilli())
        .set("pods", member.request().pods())
        .set("extended", member.request().extended())
        .set("gpus", member.gpus())
        .set("uid", member.uid())
        .set("boot_id", member.bootId())
        .set("exit_code", member.exitCode())
        .set("reason", member.reason())
        .set("started_at", member.startedAt())
        .set("ended_at", member.endedAt())
        .set("evidence", member.evidence())
        .set("standing", standing == null ? null : standing.place())
        .set("standing_since", standing == null ? null : standing.since())
        .set("devices", member.devices().reports());
  }

  /** Without members. */
  static Attempt attempt(ResultSet row, int number) throws SQLException {
    return AttemptBuilder.builder()
        .id(new AttemptId(Columns.uuid(row, "id")))
        .job(new JobId(Columns.uuid(row, "job")))
        .element(row.getInt("element"))
        .number(row.getInt("number"))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .epoch(row.getLong("epoch"))
        .createdAt(Columns.instant(row, "created_at"))
        .status(
            AttemptStatus.of(Columns.value(row, "state", AttemptState.class))
                .with()
                .launchedAt(Columns.instantOrNull(row, "launched_at"))
                .startedAt(Columns.instantOrNull(row, "started_at"))
                .unreachableSince(Columns.instantOrNull(row, "unreachable_since"))
                .endedAt(Columns.instantOrNull(row, "ended_at"))
                .stop(stop(row))
                .failure(Json.readOrNull(row.getString("failure"), Failure.class))
                .retiredAt(Columns.instantOrNull(row, "retired_at"))
                .checkpointedAt(Columns.instantOrNull(row, "checkpointed_at"))
                .build())
        .members(List.of())
        .left(List.of())
        .build();
  }

  static Member member(ResultSet row) throws SQLException {
    return MemberBuilder.builder()
        .role(Columns.text(row, "role"))
        .index(row.getInt("idx"))
        .incarnation(row.getInt("incarnation"))
        .node(new NodeId(Columns.uuid(row, "node")))
        .nodeName(Columns.text(row, "node_name"))
        .flavor(
            new Flavor(
                Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class)))
        .request(request(row))
        .gpus(shares(Columns.text(row, "gpus")))
        .status(status(row))
        .build();
  }

  private static MemberStatus status(ResultSet row) throws SQLException {
    return MemberStatusBuilder.builder()
        .state(Columns.value(row, "state", MemberState.class))
        .uid(row.getString("uid"))
        .bootId(row.getString("boot_id"))
        .exitCode(Columns.integerOrNull(row, "exit_code"))
        .reason(row.getString("reason"))
        .startedAt(Columns.instantOrNull(row, "started_at"))
        .endedAt(Columns.instantOrNull(row, "ended_at"))
        .evidence(Columns.valueOrNull(row, "evidence", DeathEvidence.class))
        .standing(standing(row))
        .devices(devices(row.getString("devices")))
        .build();
  }

  private static Member.@Nullable Standing standing(ResultSet row) throws SQLException {
    Member.Place place = Columns.valueOrNull(row, "standing", Member.Place.class);
    Instant since = Columns.instantOrNull(row, "standing_since");
    return place == null || since == null ? null : new Member.Standing(place, since);
  }

  /** A report, from a source that a newer process may have added. */
  private record StoredReport(String source, List<HeldDevice> devices) {
    Stream<MemberDevices.Report> known() {
      return Arrays.stream(DeviceReporter.values())
          .filter(reporter -> reporter.name().equals(source))
          .map(reporter -> new MemberDevices.Report(reporter, devices));
    }
  }

  /** Archived rows of an older version have no devices. */
  private static MemberDevices devices(@Nullable String text) {
    return text == null || text.equals("[]")
        ? MemberDevices.NONE
        : new MemberDevices(
            Json.read(text, REPORTS).stream().flatMap(StoredReport::known).toList());
  }

  private static List<GpuShare> shares(String text) {
    return text.equals("[]") ? List.of() : Json.read(text, SHARES);
  }

  private static ResourceVector request(ResultSet row) throws SQLException {
    return new ResourceVector(
        row.getLong("cpu"),
        row.getLong("memory_mib"),
        row.getLong("gpu"),
        row.getLong("pods"),
        Json.amounts(Columns.text(row, "extended")));
  }

  private static Attempt.@Nullable StopOrder stop(ResultSet row) throws SQLException {
    StopCause cause = Columns.valueOrNull(row, "stop_cause", StopCause.class);
    Instant deadline = Columns.instantOrNull(row, "stop_deadline");
    return cause == null || deadline == null
        ? null
        : new Attempt.StopOrder(
            cause,
            deadline,
            Json.readOrNull(row.getString("checkpoint_request"), CheckpointRequest.class));
  }
}
