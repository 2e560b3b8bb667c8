package dev.fairlead.work.progress;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Meaning of an attempt's silence. Pure. */
public final class ProgressPlan {
  private ProgressPlan() {}

  /** What follows. */
  public sealed interface Step {
    /** It has ended, or was ordered to stop. */
    record Over() implements Step {}

    /**
     * It is looked at again.
     *
     * @param from since when its silence counts
     */
    record Later(Instant from, Instant at) implements Step {}

    /**
     * It hangs.
     *
     * @param since when it was last heard of, or began to run
     * @param called whether it was heard of at all
     */
    record Hangs(Instant since, boolean called) implements Step {}
  }

  /**
   * The silence of an unreachable attempt does not count, since its calls may not arrive either.
   * Nor does silence while calls were not checked.
   *
   * @param attempt the present row, null if it is missing
   * @param listening start of the time without a gap in the processing of calls
   */
  public static Step of(
      WatchedAttempt watched, @Nullable Attempt attempt, Instant listening, Instant now) {
    if (attempt == null || !attempt.live() || attempt.state() == AttemptState.STOPPING) {
      return new Step.Over();
    }
    if (attempt.state() != AttemptState.RUNNING) {
      return new Step.Later(now, now.plus(watched.timeout()));
    }
    Instant silent = watched.silentSince();
    Instant counts = silent.isBefore(listening) ? listening : silent;
    Instant hangs = counts.plus(watched.timeout());
    return now.isBefore(hangs)
        ? new Step.Later(watched.from(), hangs)
        : new Step.Hangs(silent, watched.calledAt() != null);
  }
}
