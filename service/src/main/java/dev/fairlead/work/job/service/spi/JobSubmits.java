package dev.fairlead.work.job.service.spi;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;

/** Submits Fairlead's own jobs. */
public interface JobSubmits {
  /**
   * Makes all checks of a submit without storing.
   *
   * @throws dev.fairlead.kernel.problem.Refusal the refusal of the submit
   */
  void check(Actor actor, String project, JobSpec spec);

  /**
   * Submits the job once, however often this is called with the key.
   *
   * @throws dev.fairlead.kernel.problem.Refusal as any submit
   */
  JobId submit(Actor actor, String project, JobSpec spec, String key);

  /**
   * Submits the job in the open transaction, with its other writes. A refusal ends the transaction.
   *
   * @throws dev.fairlead.kernel.problem.Refusal as any submit
   */
  JobId submitWithin(Actor actor, String project, JobSpec spec);

  /**
   * @throws dev.fairlead.kernel.problem.Refusal when it has ended in another way
   */
  void cancel(Actor actor, JobId job);

  /**
   * Suspends or resumes the job.
   *
   * @throws dev.fairlead.kernel.problem.Refusal when its state does not allow it
   */
  void suspend(Actor actor, JobId job, boolean back);
}
