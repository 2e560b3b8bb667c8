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
import dev.fairlead.work.log.LogChunkBuilder;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.log.MemberLogBuilder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    return MemberLogBuilder.builder()
        .of(of)
        .position(position)
        .sequence(row.getInt("sequence"))
        .bytes(row.getLong("bytes"))
        .stored(row.getLong("stored"))
        .gaps(row.getInt("gaps"))
        .endedAt(Columns.instantOrNull(row, "ended_at"))
        .removed(Columns.valueOrNull(row, "removed", MemberLog.Removal.class))
        .build();
  }

  private static @Nullable Instant exact(@Nullable String time) {
    return time == null ? null : Instant.parse(time);
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  static LogChunk part(ResultSet row) throws SQLException {
    return LogChunkBuilder.builder()
        .sequence(row.getInt("sequence"))
        .nonce(row.getLong("nonce"))
        .from(Columns.instant(row, "from_at"))
        .to(Columns.instant(row, "to_at"))
        .lines(row.getLong("lines"))
        .newBytes(row.getLong("bytes"))
        .stored(row.getLong("stored"))
        .gap(row.getString("gap"))
        .build();
  }

  /**
   * The state of each log after its last step, with its last new part. before is the number of the
   * last stored part before the new parts, and replaced the number of the stored part that the
   * first new part replaces.
   */
  static RowBatch members(List<LogStore.Step> steps) {
    Map<LogMember, MemberLog> last = new TreeMap<>();
    steps.forEach(step -> last.put(step.log().of(), step.log()));
    Map<LogMember, List<LogStore.Step>> parts = parts(steps);
    RowBatch rows = new RowBatch();
    for (MemberLog log : last.values()) {
      List<LogStore.Step> more = parts.getOrDefault(log.of(), List.of());
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
          .set("removed", log.removed() == null ? null : log.removed().name())
          .set("before", log.sequence() - more.size())
          .set("replaced", more.isEmpty() ? 0 : more.getFirst().replaced());
      if (!more.isEmpty()) {
        LogChunk part = Objects.requireNonNull(more.getLast().chunk());
        rows.set("part_nonce", part.nonce())
            .set("part_from", text(part.from()))
            .set("part_to", text(part.to()))
            .set("part_lines", part.lines())
            .set("part_bytes", part.newBytes())
            .set("part_stored", part.stored())
            .set("part_gap", part.gap());
      }
    }
    return rows;
  }

  /** New parts that a later step of the same log follows and does not replace. */
  static RowBatch chunks(List<LogStore.Step> steps) {
    RowBatch rows = new RowBatch();
    parts(steps)
        .forEach((of, parts) -> {
          for (int i = 0; i < parts.size() - 1; i++) {
            LogChunk part = Objects.requireNonNull(parts.get(i).chunk());
            if (parts.get(i + 1).replaced() != part.sequence()) {
              chunk(key(rows.row(), of), of, part);
            }
          }
        });
    return rows;
  }

  private static void chunk(RowBatch row, LogMember of, LogChunk chunk) {
    row.set("sequence", chunk.sequence())
        .set("nonce", chunk.nonce())
        .set("tenant", of.tenant().value())
        .set("from_at", text(chunk.from()))
        .set("to_at", text(chunk.to()))
        .set("lines", chunk.lines())
        .set("bytes", chunk.newBytes())
        .set("stored", chunk.stored())
        .set("gap", chunk.gap());
  }

  private static Map<LogMember, List<LogStore.Step>> parts(List<LogStore.Step> steps) {
    Map<LogMember, List<LogStore.Step>> parts = new TreeMap<>();
    steps.stream()
        .filter(step -> step.chunk() != null)
        .forEach(step -> parts.computeIfAbsent(step.log().of(), of -> new ArrayList<>()).add(step));
    return parts;
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
