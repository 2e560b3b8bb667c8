package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes the facts of transitions to the event log, in their order. */
@Component
class EventWrites {
  private static final SqlFile INSERT = SqlFile.named("job/insert-events");
  private final JdbcClient jdbc;

  EventWrites(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void write(List<Transition> transitions) {
    RowBatch rows = new RowBatch();
    for (Transition transition : transitions) {
      for (Fact fact : transition.facts()) {
        rows.row()
            .set("type", fact.type())
            .set("subject_kind", IdKind.JOB)
            .set("subject", transition.job().id().value())
            .set("version", transition.job().version())
            .set("actor", transition.actor())
            .set("tenant", transition.job().tenant().value())
            .set("project", transition.job().project().value())
            .set("data", fact.data());
      }
    }
    if (!rows.isEmpty()) {
      jdbc.sql(INSERT.text()).param("rows", rows.json()).update();
    }
  }
}
