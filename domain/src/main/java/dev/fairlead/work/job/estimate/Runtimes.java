package dev.fairlead.work.job.estimate;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.fleet.node.window.Opening;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times when jobs end or may be stopped, and their effect on pool windows. */
public final class Runtimes {
  private Runtimes() {}

  /**
   * Latest end of a job that starts at that time: by its maximum runtime, or its queue's where it
   * gives none, and by its deadline. Null = unknown.
   */
  public static @Nullable Instant end(Job job, QuotaTree tree, Instant start) {
    return end(job, tree.node(job.queue()).orElse(null), start);
  }

  /**
   * Demand of a job on the limits of its queue.
   *
   * @param since start of its attempt, null before the start
   */
  public static RunLimits.Demand demand(
      Job job, @Nullable QuotaNode queue, @Nullable Instant since, Instant now) {
    Instant end = end(job, queue, since == null ? now : since);
    return RunLimits.Demand.of(
        job.spec().gpuMilli(), end == null ? null : Duration.between(now, end));
  }

  private static @Nullable Instant end(Job job, @Nullable QuotaNode queue, Instant start) {
    Duration longest = longest(job, queue);
    Instant deadline = job.spec().deadline();
    Instant ran = longest == null ? null : start.plus(longest);
    return ran == null || deadline != null && deadline.isBefore(ran) ? deadline : ran;
  }

  private static @Nullable Duration longest(Job job, @Nullable QuotaNode queue) {
    Duration own = job.spec().maxRuntime();
    QueueSettings settings = queue == null ? null : queue.queue();
    return own != null || settings == null ? own : settings.defaultMaxRuntime();
  }

  /** Earliest time when a job that starts then may be stopped, null for never. */
  public static @Nullable Instant leaves(Job job, Instant start) {
    PreemptionSpec preemption = job.spec().preemption();
    return preemption.allowed() ? start.plus(preemption.minRuntime()) : null;
  }

  /**
   * Returns whether windows let a job start then.
   *
   * @param open open windows at that time, null if none
   * @param queue queue of the job, null for a missing one
   */
  public static boolean admit(
      PoolWindows windows,
      @Nullable Opening open,
      Job job,
      @Nullable QuotaNode queue,
      Instant start) {
    return windows.always()
        || windows.admit(open, start, end(job, queue, start), leaves(job, start));
  }

  /**
   * Returns whether an advance reservation lets a job start then on its nodes. A member that joins
   * later counts as a start, because it runs as long.
   */
  public static boolean admit(
      AdvanceReservation advanceReservation, Job job, @Nullable QuotaNode queue, Instant start) {
    return advanceReservation.serves(job.project())
        || advanceReservation.admit(start, end(job, queue, start), leaves(job, start));
  }

  /** Returns whether windows permit a transition then: joining members need them open. */
  public static boolean take(
      PoolWindows windows, Transition transition, @Nullable QuotaNode queue, Instant start) {
    return transition.holding() == Transition.AllocationChange.JOIN
        ? windows.open(start)
        : admit(windows, windows.current(start), transition.job(), queue, start);
  }
}
