package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Transition;
import org.jspecify.annotations.Nullable;

/**
 * A stored attempt with its job.
 *
 * @param element element of an array, null otherwise
 */
public record AttemptCase(Attempt attempt, Job job, @Nullable JobElement element) {
  public AttemptId id() {
    return attempt.id();
  }

  /**
   * The state that the owner requested: the state of the element in an array, unless the whole job
   * is about to end.
   */
  public JobState wanted() {
    JobState whole = job.state();
    boolean ending = whole == JobState.CANCELLING || whole == JobState.SUSPENDED;
    return ending || element == null ? whole : element.run().state();
  }

  /** Number of faults in a row that ended earlier attempts of the job or element. */
  public int faults() {
    return element == null ? job.run().faults() : element.run().faults();
  }

  AttemptCase after(Transition written) {
    JobElement moved = written.elements().isEmpty() ? element : written.elements().getFirst();
    return new AttemptCase(
        written.attempt() == null ? attempt : written.attempt(), written.job(), moved);
  }
}
