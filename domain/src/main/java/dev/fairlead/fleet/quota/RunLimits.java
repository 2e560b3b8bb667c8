package dev.fairlead.fleet.quota;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of the jobs of one user, of one project or of a whole queue that run concurrently in the
 * queue.
 *
 * @param running jobs that hold GPUs or nodes, with each element of an array counted separately,
 *     null = no limit
 * @param gpuMilli thousandths of GPUs that these request, null = no limit
 * @param gpuMinutes GPU-minutes that these may still use until the end of their maximum runtimes,
 *     like Slurm's {@code GrpTRESRunMins}, null = no limit
 */
public record RunLimits(
    @Nullable Integer running, @Nullable Long gpuMilli, @Nullable Long gpuMinutes) {
  public static final RunLimits NONE = new RunLimits(null, null, null);

  private static final long MINUTE_MILLI_MILLIS = 1000L * 60_000;

  /**
   * Thousandths of a GPU times milliseconds that no limit allows: the demand of a job without an
   * end.
   */
  private static final long ENDLESS = Long.MAX_VALUE / 4;

  /** Returns whether this use is within the limits. */
  public boolean admit(Use use) {
    return !overRunning(use) && !overGpus(use) && !overMinutes(use);
  }

  public boolean overRunning(Use use) {
    return running != null && use.running() > running;
  }

  public boolean overGpus(Use use) {
    return gpuMilli != null && use.gpuMilli() > gpuMilli;
  }

  public boolean overMinutes(Use use) {
    return gpuMinutes != null && use.milliMillis() > gpuMinutes * MINUTE_MILLI_MILLIS;
  }

  /** Returns whether one job may run when no other job does. */
  public boolean admitOne(Demand ask) {
    return admit(Use.NOTHING.and(ask));
  }

  /**
   * The demand of one job.
   *
   * @param gpuMilli requested milli-GPUs
   * @param milliMillis milli-GPUs multiplied by the milliseconds of its remaining run time, or
   *     {@link #endless} if it has no end
   */
  public record Demand(long gpuMilli, long milliMillis) {
    /**
     * @param left time that it may still run, negative values count as zero, null = no end
     */
    public static Demand of(long gpuMilli, @Nullable Duration left) {
      long most = gpuMilli == 0 ? 0 : ENDLESS / gpuMilli;
      long millis = left == null ? most : Math.clamp(left.toMillis(), 0, most);
      return new Demand(gpuMilli, left == null && gpuMilli > 0 ? ENDLESS : gpuMilli * millis);
    }

    /** Returns whether the demand has no time limit. */
    public boolean endless() {
      return milliMillis >= ENDLESS;
    }

    /** Returns whole GPU-minutes, rounded up. */
    public long gpuMinutes() {
      return minutes(milliMillis);
    }
  }

  /** The current use. */
  public record Use(int running, long gpuMilli, long milliMillis) {
    public static final Use NOTHING = new Use(0, 0, 0);

    /** Returns the use with one more job. */
    public Use and(Demand more) {
      return new Use(
          running + 1,
          gpuMilli + more.gpuMilli(),
          Math.min(ENDLESS, milliMillis + more.milliMillis()));
    }

    /** Returns whether any job has no end. */
    public boolean endless() {
      return milliMillis >= ENDLESS;
    }

    /** Returns whole GPU-minutes, rounded up. */
    public long gpuMinutes() {
      return minutes(milliMillis);
    }
  }

  private static long minutes(long milliMillis) {
    return Math.ceilDiv(milliMillis, MINUTE_MILLI_MILLIS);
  }
}
