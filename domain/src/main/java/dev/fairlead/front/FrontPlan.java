package dev.fairlead.front;

import static dev.fairlead.front.FrontCondition.SUBMITTED;

import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Decides the next step for one Job of a front cluster. */
public final class FrontPlan {
  private static final FrontStep NOTHING = new FrontStep.Nothing();

  private FrontPlan() {}

  /**
   * Known facts about a Job.
   *
   * @param seen its state on its cluster, null if it is not listed
   * @param row the row of the adopted Job, null if it is not adopted
   * @param job the job that runs it, null if none
   * @param namespace the mapping of its namespace, null if none
   * @param halted whether objects without both a row and a state on the cluster are left alone,
   *     because of an open {@link FrontBreaker}
   */
  public record Known(
      @Nullable SeenJob seen,
      @Nullable FrontJob row,
      @Nullable Job job,
      @Nullable FrontNamespace namespace,
      boolean halted) {}

  public static FrontStep next(Known known, Instant now) {
    SeenJob seen = known.seen();
    FrontJob row = known.row();
    if (known.halted() && (seen == null || row == null)) {
      return NOTHING;
    }
    if (seen == null) {
      return row == null ? NOTHING : new FrontStep.Ask();
    }
    if (row == null) {
      return withoutRow(seen, known.namespace(), now);
    }
    if (seen.deleting() || seen.status().finished()) {
      return new FrontStep.LetGo();
    }
    if (row.job() == null) {
      FrontNamespace namespace = known.namespace();
      return namespace == null || !namespace.project().equals(row.project())
          ? new FrontStep.Withdraw()
          : new FrontStep.TakeUp(namespace);
    }
    Job job = known.job();
    if (job == null) {
      return shown(seen, FrontStatuses.deleted(seen.status(), row.job(), now));
    }
    if (seen.suspended() != row.suspended() && !job.run().ended()) {
      return new FrontStep.Hold(seen.suspended());
    }
    return endsEarly(seen, job)
        ? new FrontStep.EndEarly()
        : shown(seen, FrontStatuses.of(seen.status(), job, now));
  }

  private static boolean endsEarly(SeenJob seen, Job job) {
    ArrayProgress array = job.array();
    return array != null
        && array.failed() > 0
        && seen.endsEarly()
        && !job.run().ended()
        && job.state() != JobState.CANCELLING;
  }

  private static FrontStep withoutRow(
      SeenJob seen, @Nullable FrontNamespace namespace, Instant now) {
    if (seen.foreign()) {
      return NOTHING;
    }
    if (seen.deleting() || seen.status().finished()) {
      return seen.held() ? new FrontStep.LetGo() : NOTHING;
    }
    if (seen.status().is(SUBMITTED)) {
      return shown(seen, FrontStatuses.lost(seen.status(), now));
    }
    if (seen.suspended()) {
      return shown(seen, FrontStatuses.suspended(seen.status(), now));
    }
    if (namespace == null) {
      return shown(
          seen,
          FrontStatuses.waiting(
              seen.status(), unmapped(seen).reason(), unmapped(seen).message(), now));
    }
    return new FrontStep.TakeUp(namespace);
  }

  /** Reason why nothing is done for an object of a namespace without a project. */
  static ServiceProblem unmapped(SeenJob seen) {
    return new ServiceProblem(
        "NamespaceNotMapped",
        ("Namespace %s is not mapped to a project of Fairlead. Ask an operator to map it:"
                + " fairlead cluster front add CLUSTER %s --project PROJECT")
            .formatted(seen.namespace(), seen.namespace()),
        false);
  }

  private static FrontStep shown(SeenJob seen, FrontStatus status) {
    return status.equals(seen.status()) ? NOTHING : new FrontStep.Show(status);
  }
}
