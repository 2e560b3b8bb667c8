package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Transition;
import java.util.List;
import java.util.SortedMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Records the start of use of slices that a node offers as an amount, and writes the use when
 * members release them. {@link NodeCapacityLedger} books the amount of the node. The GPUs of these
 * slices are unknown, so {@link GpuLedger} has no rows for them.
 */
@Component
class SliceLedger {
  private static final SqlFile HOLD = SqlFile.named("job/insert-slices");
  private static final SqlFile LET_GO = SqlFile.named("job/release-slices-to-usage-intervals");

  private final JdbcClient jdbc;
  private final BelievedTime time;

  SliceLedger(JdbcClient jdbc, BelievedTime time) {
    this.jdbc = jdbc;
    this.time = time;
  }

  /** {@code ended} as in {@link Holdings}. */
  void apply(List<Transition> transitions, SortedMap<AttemptId, Attempt> ended) {
    RowBatch gone = new RowBatch();
    RowBatch rows = new RowBatch();
    for (Transition transition : transitions) {
      for (Member member : Holdings.members(transition, ended)) {
        long milli = member.sliceMilli();
        if (milli > 0 && !Holdings.takes(transition)) {
          RowBatch _ = Holdings.used(gone.row(), transition, member);
        }
        if (milli > 0 && !Holdings.givesBack(transition)) {
          hold(rows, Holdings.attempt(transition), member, milli);
        }
      }
    }
    update(LET_GO, gone);
    update(HOLD, rows);
  }

  private static void hold(RowBatch rows, Attempt attempt, Member member, long milli) {
    rows.row()
        .set("attempt", attempt.id().value())
        .set("role", member.role())
        .set("idx", member.index())
        .set("node", member.node().value())
        .set("milli", milli);
  }

  private void update(SqlFile statement, RowBatch rows) {
    if (!rows.isEmpty()) {
      jdbc.sql(statement.text())
          .param("rows", rows.json())
          .param("host", time.hostMillis())
          .update();
    }
  }
}
