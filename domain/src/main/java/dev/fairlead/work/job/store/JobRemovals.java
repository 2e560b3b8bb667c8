package dev.fairlead.work.job.store;

import dev.fairlead.work.job.Job;

/** Features that record facts about a job before its deletion. */
@FunctionalInterface
public interface JobRemovals {
  /**
   * Runs in the transaction that deletes the job, before its rows are deleted.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict when another transaction changed the recorded
   *     facts
   */
  void deletes(Job job);
}
