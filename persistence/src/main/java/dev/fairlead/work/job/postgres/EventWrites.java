package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.event.EventContext;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition;
import java.util.List;
import java.util.SortedSet;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes the facts of transitions to the event log, in order: one row for each transition. */
@Component
class EventWrites {
  private static final SqlFile INSERT = SqlFile.named("job/insert-events");

  /** Facts of one row. Sequence numbers of rows are this far apart, so each fact has a number. */
  private static final int MOST_FACTS = 32;

  private final JdbcClient jdbc;

  EventWrites(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void write(List<Transition> transitions) {
    RowBatch rows = new RowBatch();
    for (Transition transition : transitions) {
      List<Object> context = context(transition);
      List<Fact> facts = transition.facts();
      for (int i = 0; i < facts.size(); i += MOST_FACTS) {
        row(
            rows.row(),
            transition,
            context,
            facts.subList(i, Math.min(i + MOST_FACTS, facts.size())));
      }
    }
    if (!rows.isEmpty()) {
      jdbc.sql(INSERT.text()).param("rows", rows.json()).update();
    }
  }

  private static void row(
      RowBatch rows, Transition transition, List<Object> context, List<Fact> facts) {
    Attempt attempt = transition.attempt();
    Fact first = facts.getFirst();
    rows.set("type", first.type())
        .set("subject_kind", IdKind.JOB)
        .set("subject", transition.job().id().value())
        .set("version", transition.job().version())
        .set("actor", transition.actor())
        .set("tenant", transition.job().tenant().value())
        .set("project", transition.job().project().value())
        .set("data", first.data())
        .set("cluster", attempt == null ? null : attempt.cluster().value())
        .set("context", context);
    if (facts.size() > 1) {
      rows.set(
          "more", facts.stream().skip(1).map(fact -> List.of(fact.type(), fact.data())).toList());
    }
  }

  /** An {@link EventContext} without the names of project and cluster, which the statement adds. */
  private static List<Object> context(Transition transition) {
    SortedSet<String> nodes = transition.nodes();
    return List.of(
        transition.job().name(), transition.job().user(), EventContext.listed(nodes), nodes.size());
  }
}
