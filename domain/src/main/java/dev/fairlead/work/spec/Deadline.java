package dev.fairlead.work.spec;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The time by which a job must end. A waiting job fails as soon as it can no longer end in time (as
 * Slurm's {@code --deadline}). A running job is stopped at that time.
 */
public final class Deadline {
  private Deadline() {}

  /** Returns whether a job of this spec could no longer end in time if it started now. */
  public static boolean passed(JobSpec spec, Instant now) {
    Instant latest = latestStart(spec);
    return latest != null && now.isAfter(latest);
  }

  /**
   * Latest start of the job: its deadline minus its {@code maxRuntime}, or the deadline itself
   * without {@code maxRuntime}. Null without a deadline.
   */
  public static @Nullable Instant latestStart(JobSpec spec) {
    Instant deadline = spec.deadline();
    Duration longest = spec.maxRuntime();
    return deadline == null || longest == null ? deadline : deadline.minus(longest);
  }

  /**
   * Time when an attempt is stopped, from its maximum runtime or its job's deadline, null without
   * either.
   */
  public static @Nullable Instant stops(JobSpec spec, @Nullable Instant startedAt) {
    Duration longest = spec.maxRuntime();
    Instant deadline = spec.deadline();
    Instant ran = longest == null || startedAt == null ? null : startedAt.plus(longest);
    return ran == null || deadline != null && deadline.isBefore(ran) ? deadline : ran;
  }

  /** Reason why a waiting job fails. */
  public static String message(JobSpec spec, Instant now) {
    Instant deadline = spec.deadline();
    return deadline != null && !now.isBefore(deadline)
        ? "its deadline " + deadline + " has passed"
        : "it can no longer end before its deadline " + deadline + " with its maxRuntime";
  }
}
