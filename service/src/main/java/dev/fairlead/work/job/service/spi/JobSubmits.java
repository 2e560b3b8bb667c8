package dev.fairlead.work.job.service.spi;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;

/** Jobs that Fairlead itself submits. */
public interface JobSubmits {
  /**
   * Does all that a submit does but store.
   *
   * @throws dev.fairlead.kernel.problem.Refusal what the submit would be refused with
   */
  void check(Actor actor, String project, JobSpec spec);

  /**
   * Submits it once, however often this is called with the key.
   *
   * @throws dev.fairlead.kernel.problem.Refusal as any submit
   */
  JobId submit(Actor actor, String project, JobSpec spec, String key);

  /**
   * @throws dev.fairlead.kernel.problem.Refusal when it has ended otherwise
   */
  void cancel(Actor actor, JobId job);

  /**
   * Holds it back, or lets it go on.
   *
   * @throws dev.fairlead.kernel.problem.Refusal when its state does not allow it
   */
  void suspend(Actor actor, JobId job, boolean back);
}
