package dev.fairlead.work.log.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Columns of logs. Times of lines that are compared with times of clusters are texts, because they
 * have nanoseconds.
 */
final class LogRows {
  private LogRows() {}

  static MemberLog log(ResultSet row) throws SQLException {
    LogMember of =
        new LogMember(
            new TenantId(Columns.uuid(row, "tenant")),
            new ProjectId(Columns.uuid(row, "project")),
            new JobId(Columns.uuid(row, "job")),
            new AttemptId(Columns.uuid(row, "attempt")),
            new MemberKey(Columns.text(row, "role"), row.getInt("idx"), row.getInt("incarnation")));
    LogPosition position =
        new LogPosition(
            Columns.instantOrNull(row, "second_at"),
            exact(row.getString("first_at")),
            row.getLong("taken"),
            exact(row.getString("last_at")));
    return new MemberLog(
        of,
        position,
        row.getInt("sequence"),
        row.getLong("bytes"),
        row.getLong("stored"),
        row.getInt("gaps"),
        Columns.instantOrNull(row, "ended_at"),
        Columns.valueOrNull(row, "removed", MemberLog.Removal.class));
  }

  private static @Nullable Instant exact(@Nullable String time) {
    return time == null ? null : Instant.parse(time);
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  static LogChunk part(ResultSet row) throws SQLException {
    return new LogChunk(
        row.getInt("sequence"),
        row.getLong("nonce"),
        Columns.instant(row, "from_at"),
        Columns.instant(row, "to_at"),
        row.getLong("lines"),
        row.getLong("bytes"),
        row.getLong("stored"),
        row.getString("gap"));
  }

  /** The state of each log after its last step. */
  static RowBatch members(List<LogStore.Step> steps) {
    Map<LogMember, MemberLog> last = new TreeMap<>();
    steps.forEach(step -> last.put(step.log().of(), step.log()));
    RowBatch rows = new RowBatch();
    for (MemberLog log : last.values()) {
      LogPosition position = log.position();
      key(rows.row(), log.of())
          .set("tenant", log.of().tenant().value())
          .set("project", log.of().project().value())
          .set("job", log.of().job().value())
          .set("second_at", text(position.second()))
          .set("first_at", text(position.first()))
          .set("taken", position.taken())
          .set("last_at", text(position.last()))
          .set("sequence", log.sequence())
          .set("bytes", log.bytes())
          .set("stored", log.stored())
          .set("gaps", log.gaps())
          .set("ended_at", text(log.endedAt()))
          .set("removed", log.removed() == null ? null : log.removed().name());
    }
    return rows;
  }

  static RowBatch replaced(List<LogStore.Step> steps) {
    RowBatch rows = new RowBatch();
    steps.stream()
        .filter(step -> step.replaced() > 0)
        .forEach(step -> key(rows.row(), step.log().of()).set("replaced", step.replaced()));
    return rows;
  }

  static RowBatch chunks(List<LogStore.Step> steps) {
    RowBatch rows = new RowBatch();
    for (LogStore.Step step : steps) {
      LogChunk chunk = step.chunk();
      if (chunk != null) {
        key(rows.row(), step.log().of())
            .set("sequence", chunk.sequence())
            .set("nonce", chunk.nonce())
            .set("tenant", step.log().of().tenant().value())
            .set("from_at", text(chunk.from()))
            .set("to_at", text(chunk.to()))
            .set("lines", chunk.lines())
            .set("bytes", chunk.newBytes())
            .set("stored", chunk.stored())
            .set("gap", chunk.gap());
      }
    }
    return rows;
  }

  static RowBatch use(List<LogStore.Step> steps) {
    RowBatch rows = new RowBatch();
    steps.stream()
        .filter(step -> step.storedMore() != 0)
        .forEach(step ->
            rows.row()
                .set("project", step.log().of().project().value())
                .set("tenant", step.log().of().tenant().value())
                .set("more", step.storedMore()));
    return rows;
  }

  static RowBatch keys(List<LogMember> logs) {
    RowBatch rows = new RowBatch();
    logs.forEach(log -> key(rows.row(), log));
    return rows;
  }

  static RowBatch chunkKeys(List<ChunkKey> chunks) {
    RowBatch rows = new RowBatch();
    chunks.forEach(chunk ->
        key(rows.row(), chunk.of()).set("sequence", chunk.sequence()).set("nonce", chunk.nonce()));
    return rows;
  }

  private static RowBatch key(RowBatch row, LogMember of) {
    return row.set("attempt", of.attempt().value())
        .set("role", of.member().role())
        .set("idx", of.member().index())
        .set("incarnation", of.member().incarnation());
  }
}
