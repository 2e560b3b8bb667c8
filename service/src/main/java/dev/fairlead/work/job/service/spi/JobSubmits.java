package dev.fairlead.work.job.service.spi;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;
import java.util.Optional;

/** Submits Fairlead's own jobs. */
public interface JobSubmits {
  /**
   * Like {@link #check}, for the job in the field {@code job} of another body.
   *
   * @throws Refusal the refusal of the submit, with its fields below {@code /job}
   */
  default void checkNested(Actor actor, String project, JobSpec spec) {
    try {
      check(actor, project, spec);
    } catch (Refusal refused) {
      throw refused.below("/job");
    }
  }

  /**
   * Runs all checks of a submit without storing the job.
   *
   * @throws dev.fairlead.kernel.problem.Refusal the refusal of the submit
   */
  void check(Actor actor, String project, JobSpec spec);

  /**
   * Submits the job once, no matter how often this is called with the key.
   *
   * @throws dev.fairlead.kernel.problem.Refusal as any submit
   */
  JobId submit(Actor actor, String project, JobSpec spec, String key);

  /** A submit in a transaction with other writes. */
  interface Prepared {
    /**
     * Submits the job in the open transaction. A refusal ends the transaction.
     *
     * @throws dev.fairlead.kernel.problem.Refusal as any submit
     */
    JobId submit();
  }

  /**
   * Reads the fleet and the limits for a submit. Must be called before the transaction.
   *
   * @throws dev.fairlead.kernel.problem.Refusal UNAVAILABLE when limits were not read yet
   */
  Prepared prepared(Actor actor, String project, JobSpec spec);

  /**
   * The job that a submit with the key stored, or empty if none. A later submit with the key is
   * then refused.
   *
   * @throws dev.fairlead.kernel.problem.Refusal while such a submit is under way
   */
  Optional<JobId> submitted(Actor actor, String key);

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
