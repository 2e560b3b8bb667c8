package dev.fairlead.job;

import dev.fairlead.identity.JobId;
import dev.fairlead.spec.JobSpec;
import dev.fairlead.tenant.Actor;

/** Jobs that Fairlead itself submits. */
public interface JobSubmits {
  /**
   * Does all that a submit does but store.
   *
   * @throws dev.fairlead.problem.Refusal what the submit would be refused with
   */
  void check(Actor actor, String project, JobSpec spec);

  /**
   * Submits it once, however often this is called with the key.
   *
   * @throws dev.fairlead.problem.Refusal as any submit
   */
  JobId submit(Actor actor, String project, JobSpec spec, String key);

  /**
   * @throws dev.fairlead.problem.Refusal when it has ended otherwise
   */
  void cancel(Actor actor, JobId job);

  /**
   * Holds it back, or lets it go on.
   *
   * @throws dev.fairlead.problem.Refusal when its state does not allow it
   */
  void suspend(Actor actor, JobId job, boolean back);
}
