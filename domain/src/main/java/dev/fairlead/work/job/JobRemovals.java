package dev.fairlead.work.job;

/** Features that note facts about a job before it is deleted and nothing knows it any more. */
@FunctionalInterface
public interface JobRemovals {
  /**
   * Runs in the transaction that deletes the job, before its rows are gone.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict when another transaction changed what is noted
   */
  void deletes(Job job);
}
