package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Records the labels of a job when it takes GPUs, one row for each attempt, and one more if a user
 * takes the attempt from a warm pool: its use counts by them, even if the labels change or the job
 * is deleted.
 */
@Component
class LabelLedger {
  private static final SqlFile WRITE = SqlFile.named("usage/write-labels");
  private final JdbcClient jdbc;

  LabelLedger(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void apply(List<Transition> transitions) {
    RowBatch rows = new RowBatch();
    for (Transition transition : transitions) {
      Job job = transition.job();
      boolean taken = Holdings.transfers(transition);
      boolean starts = transition.holding() == AllocationChange.TAKE;
      if (taken || (starts && !job.spec().labels().isEmpty())) {
        Attempt attempt = Holdings.attempt(transition);
        if (attempt.members().stream().mapToLong(Member::gpuMilli).sum() > 0) {
          rows.row()
              .set("attempt", attempt.id().value())
              .set("taken", taken)
              .set("tenant", job.tenant().value())
              .set("labels", job.spec().labels());
        }
      }
    }
    if (!rows.isEmpty()) {
      jdbc.sql(WRITE.text()).param("rows", rows.json()).update();
    }
  }
}
