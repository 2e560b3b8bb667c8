package dev.fairlead.work.job.store;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.estimate.PreemptionCount;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The only caller of {@link JobStore#append}: every change of a job's state goes through this
 * class, so every transition is journalled in one form.
 */
public final class JobWriter {
  private final JobStore jobs;
  private final ExplanationStore explanations;
  private final Consumer<Transition> journal;

  /**
   * The journal gets each transition after it was written, in order. The transaction may still be
   * rolled back.
   */
  public JobWriter(JobStore jobs, ExplanationStore explanations, Consumer<Transition> journal) {
    this.jobs = jobs;
    this.explanations = explanations;
    this.journal = journal;
  }

  /**
   * Writes the transitions, all or nothing, in the open transaction, with records of external
   * evictions and unreachable attempts among them.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict when a guard refuses. The transaction is to be
   *     rolled back
   */
  public void write(List<Transition> transitions) {
    List<DecisionRecord> seen = new ArrayList<>();
    for (Transition transition : transitions) {
      JobId job = transition.job().id();
      DecisionRecord.eviction(transition).ifPresent(body -> seen.add(now(job, body)));
      DecisionRecord.sight(transition).ifPresent(body -> seen.add(now(job, body)));
    }
    write(transitions, seen);
  }

  private DecisionRecord now(JobId job, DecisionRecord.Body body) {
    return new DecisionRecord(job, jobs.now(), body);
  }

  /** Like {@link #write(List)}, with decisions of the scheduler. */
  public void write(List<Transition> transitions, List<DecisionRecord> decided) {
    if (!transitions.isEmpty()) {
      jobs.append(transitions);
      boolean _ =
          explanations.keep(
              DecisionRecord.together(decided), PreemptionCount.of(transitions, decided));
      transitions.forEach(journal);
    }
  }
}
