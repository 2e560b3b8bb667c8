package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Transition;
import java.util.List;
import java.util.SortedMap;
import org.springframework.stereotype.Component;

/**
 * The only writer of the states of jobs, elements and attempts. A batch needs the same few
 * statements regardless of its size, in the lock order of all writers: fence (by the transaction),
 * job, attempt, quota by depth and id, node, GPU, budget, licence. Events are written before the
 * quota is locked, because all other placements and ends in the quota tree wait for that lock.
 */
@Component
class Append {
  private final JobWrites jobs;
  private final AttemptWrites attempts;
  private final Ledgers ledgers;
  private final EventWrites events;
  private final Changes changes;

  Append(
      JobWrites jobs,
      AttemptWrites attempts,
      Ledgers ledgers,
      EventWrites events,
      Changes changes) {
    this.jobs = jobs;
    this.attempts = attempts;
    this.ledgers = ledgers;
    this.events = events;
    this.changes = changes;
  }

  /** Requires an open transaction. */
  boolean write(List<Transition> transitions) {
    AppendBatch.of(transitions).forEach(this::write);
    changes.note(Change.JOBS);
    if (transitions.stream().anyMatch(Transition::concernsAttempts)) {
      changes.note(Change.ATTEMPTS);
    }
    return true;
  }

  private void write(AppendBatch batch) {
    jobs.write(batch);
    SortedMap<AttemptId, Attempt> ended = attempts.write(batch);
    events.write(batch.transitions());
    ledgers.quota().apply(batch.transitions(), ended);
    List<Transition> byNode = Transition.bookedByNode(batch.transitions());
    ledgers.room().apply(byNode, ended);
    ledgers.gpus().apply(byNode, ended);
    ledgers.slices().apply(byNode, ended);
    ledgers.labels().apply(batch.transitions());
    ledgers.budgets().apply(batch.transitions());
    ledgers.licences().apply(batch.transitions());
  }
}
