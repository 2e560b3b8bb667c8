package dev.fairlead.job.postgres;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Transition;
import dev.fairlead.postgres.Change;
import dev.fairlead.postgres.Changes;
import dev.fairlead.postgres.TenantWall;
import java.util.List;
import java.util.SortedMap;
import org.springframework.stereotype.Component;

/**
 * The one writer of the states of jobs, elements and attempts. A batch costs the same few
 * statements whatever its size, in the one lock order of all writers: fence (by the transaction),
 * job, attempt, quota by depth and id, node, GPU.
 */
@Component
class Append {
  private final TenantWall wall;
  private final JobWrites jobs;
  private final AttemptWrites attempts;
  private final Ledgers ledgers;
  private final EventWrites events;
  private final Changes changes;

  Append(
      TenantWall wall,
      JobWrites jobs,
      AttemptWrites attempts,
      Ledgers ledgers,
      EventWrites events,
      Changes changes) {
    this.wall = wall;
    this.jobs = jobs;
    this.attempts = attempts;
    this.ledgers = ledgers;
    this.events = events;
    this.changes = changes;
  }

  /** Inside a transaction. */
  void write(List<Transition> transitions) {
    if (transitions.stream().map(t -> t.job().tenant()).distinct().count() == 1) {
      wall.enter(transitions.getFirst().job().tenant().value());
    }
    AppendBatch.of(transitions).forEach(this::write);
    changes.note(Change.JOBS);
    if (transitions.stream().anyMatch(Transition::concernsAttempts)) {
      changes.note(Change.ATTEMPTS);
    }
  }

  private void write(AppendBatch batch) {
    jobs.write(batch);
    SortedMap<AttemptId, Attempt> ended = attempts.write(batch);
    ledgers.quota().apply(batch.transitions(), ended);
    ledgers.room().apply(batch.transitions(), ended);
    ledgers.gpus().apply(batch.transitions(), ended);
    events.write(batch.transitions());
  }
}
