package dev.fairlead.job;

import java.util.List;
import java.util.function.Consumer;

/**
 * The one caller of {@link JobStore#append}: whoever changes a job's state goes through here, so
 * that every transition is journalled in one form.
 */
public final class JobWriter {
  private final JobStore jobs;
  private final Consumer<Transition> journal;

  /**
   * The journal gets each transition after it was written, in order; the transaction may still be
   * rolled back.
   */
  public JobWriter(JobStore jobs, Consumer<Transition> journal) {
    this.jobs = jobs;
    this.journal = journal;
  }

  /**
   * Writes the transitions, all or nothing, in the open transaction.
   *
   * @throws dev.fairlead.transaction.Conflict when a guard refuses; the transaction is to be rolled
   *     back
   */
  public void write(List<Transition> transitions) {
    if (!transitions.isEmpty()) {
      jobs.append(transitions);
      transitions.forEach(journal);
    }
  }
}
