package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Transition.AllocationChange;
import dev.fairlead.work.job.postgres.read.AttemptRows;
import dev.fairlead.work.job.postgres.read.AttemptTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes rows of attempts and members, each with the guard in its statement. */
@Component
class AttemptWrites {
  private static final SqlFile UPDATE = SqlFile.named("job/update-attempts");
  private static final SqlFile INSERT = SqlFile.named("job/insert-attempts");
  private static final SqlFile MEMBERS = SqlFile.named("job/write-members");

  private final JdbcClient jdbc;
  private final AttemptTable table;

  AttemptWrites(JdbcClient jdbc, AttemptTable table) {
    this.jdbc = jdbc;
    this.table = table;
  }

  /**
   * Writes the attempts of the batch under the locks of their jobs, which every writer of attempts
   * has. Returns the attempts whose holdings change, as they were stored: their allocations are the
   * basis of the changes.
   */
  SortedMap<AttemptId, Attempt> write(AppendBatch batch) {
    List<AppendBatch.AttemptRow> taken = batch.attempts(AllocationChange.TAKE);
    List<AppendBatch.AttemptRow> released = new ArrayList<>();
    for (AllocationChange holding :
        List.of(
            AllocationChange.RELEASE,
            AllocationChange.JOIN,
            AllocationChange.LEAVE,
            AllocationChange.MOVE,
            AllocationChange.TRANSFER)) {
      released.addAll(batch.attempts(holding));
    }
    List<AppendBatch.AttemptRow> moved = new ArrayList<>(released);
    moved.addAll(batch.attempts(AllocationChange.KEEP));
    SortedMap<AttemptId, Attempt> ended = new TreeMap<>();
    if (!moved.isEmpty()) {
      if (!released.isEmpty()) {
        table
            .byId(released.stream().map(r -> r.attempt().id()).toList())
            .forEach(a -> ended.put(a.id(), a));
      }
      written(UPDATE, moved, ended.keySet(), Guard.VERSION);
    }
    if (!taken.isEmpty()) {
      written(INSERT, taken, Set.of(), Guard.LIVE_ATTEMPT);
      moved.addAll(taken);
    }
    members(moved);
    return ended;
  }

  private void written(
      SqlFile statement,
      List<AppendBatch.AttemptRow> attempts,
      Set<AttemptId> releases,
      Guard guard) {
    RowBatch rows = new RowBatch();
    for (AppendBatch.AttemptRow row : attempts) {
      AttemptRows.write(rows.row(), row.attempt(), row.job().tenant());
      rows.set("releases", releases.contains(row.attempt().id()));
    }
    Set<UUID> written =
        new TreeSet<>(
            jdbc.sql(statement.text()).param("rows", rows.json()).query(UUID.class).list());
    for (AppendBatch.AttemptRow row : attempts) {
      if (!written.contains(row.attempt().id().value())) {
        throw JobWrites.refused(guard, row.job());
      }
    }
  }

  private void members(List<AppendBatch.AttemptRow> attempts) {
    RowBatch rows = new RowBatch();
    for (AppendBatch.AttemptRow row : attempts) {
      int members = row.withMembers() ? row.attempt().everyMember().size() : 0;
      for (int i = 0; i < members; i++) {
        AttemptRows.write(rows.row(), row.attempt(), i, row.job().tenant());
      }
    }
    if (!rows.isEmpty()) {
      jdbc.sql(MEMBERS.text()).param("rows", rows.json()).update();
    }
  }
}
