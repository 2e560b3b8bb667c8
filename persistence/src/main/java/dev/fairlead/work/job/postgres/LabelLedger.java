package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Keeps the labels that a job has when it takes GPUs, one row for the attempt: its use counts by
 * them, whatever becomes of the labels and of the job.
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
      if (transition.holding() == AllocationChange.TAKE && !job.spec().labels().isEmpty()) {
        Attempt attempt = Holdings.attempt(transition);
        if (attempt.members().stream().mapToLong(Member::gpuMilli).sum() > 0) {
          rows.row()
              .set("attempt", attempt.id().value())
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
