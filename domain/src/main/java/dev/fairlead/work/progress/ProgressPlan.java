package dev.fairlead.work.progress;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Meaning of an attempt's silence, or of its idleness. Pure. */
public final class ProgressPlan {
  /** Delay before activity that is still unknown is checked again. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  private ProgressPlan() {}

  /** The consequence. */
  public sealed interface Step {
    /** The attempt has ended, or was ordered to stop. */
    record Over() implements Step {}

    /**
     * The attempt is checked again later.
     *
     * @param from time from which its silence counts
     */
    record Later(Instant from, Instant at) implements Step {}

    /**
     * It hangs.
     *
     * @param since time of its last report, or of its start
     * @param called whether it has reported before
     */
    record Hangs(Instant since, boolean called) implements Step {}

    /**
     * Its job is suspended.
     *
     * @param since time of its last activity
     */
    record Idle(Instant since) implements Step {}
  }

  /**
   * Returns the next step for a job with a progress timeout. The silence of an unreachable attempt
   * does not count, because its calls may not arrive either. Silence while calls were not checked
   * does not count either.
   *
   * @param attempt the current row, null if it is missing
   * @param listening start of the time without a gap in the processing of calls
   */
  public static Step of(
      WatchedAttempt watched, @Nullable Attempt attempt, Instant listening, Instant now) {
    Step waiting = notRunning(watched, attempt, now);
    if (waiting != null) {
      return waiting;
    }
    Instant silent = watched.silentSince();
    Instant counts = silent.isBefore(listening) ? listening : silent;
    Instant hangs = counts.plus(watched.timeout());
    return now.isBefore(hangs)
        ? new Step.Later(watched.from(), hangs)
        : new Step.Hangs(silent, watched.calledAt() != null);
  }

  /**
   * Returns the next step for a job that is suspended when it is idle. The idle time ends with the
   * last report, so unknown activity or silence never suspends a job.
   *
   * @param attempt the current row, null if it is missing
   * @param active its last activity, null if unknown
   */
  public static Step idle(
      WatchedAttempt watched,
      @Nullable Attempt attempt,
      @Nullable LastActivity active,
      Instant now) {
    Step waiting = notRunning(watched, attempt, now);
    if (waiting != null) {
      return waiting;
    }
    if (active == null) {
      return new Step.Later(watched.from(), now.plus(AGAIN));
    }
    Instant since = active.at().isBefore(watched.from()) ? watched.from() : active.at();
    Instant ends = since.plus(watched.timeout());
    if (!active.seenUntil().isBefore(ends)) {
      return new Step.Idle(since);
    }
    return new Step.Later(watched.from(), now.isBefore(ends) ? ends : now.plus(AGAIN));
  }

  /** The step of an attempt that does not run, null for one that runs. */
  private static @Nullable Step notRunning(
      WatchedAttempt watched, @Nullable Attempt attempt, Instant now) {
    if (attempt == null || !attempt.live() || attempt.state() == AttemptState.STOPPING) {
      return new Step.Over();
    }
    return attempt.state() == AttemptState.RUNNING
        ? null
        : new Step.Later(now, now.plus(watched.timeout()));
  }
}
