package dev.fairlead.fleet.quota;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the jobs of one user, of one project or of a whole queue may have at once there.
 *
 * @param running jobs that hold GPUs or nodes, each element of an array by itself; null = no limit
 * @param gpuMilli thousandths of GPUs that these ask for; null = no limit
 * @param gpuMinutes GPU-minutes that these may still use until their longest runtimes are over, as
 *     Slurm's {@code GrpTRESRunMins}; null = no limit
 */
public record RunLimits(
    @Nullable Integer running, @Nullable Long gpuMilli, @Nullable Long gpuMinutes) {
  public static final RunLimits NONE = new RunLimits(null, null, null);

  private static final long MINUTE_MILLI_MILLIS = 1000L * 60_000;

  /** Thousandths of a GPU times milliseconds that no limit allows: of a job without an end. */
  private static final long ENDLESS = Long.MAX_VALUE / 4;

  /** Whether so much stays within them. */
  public boolean admit(Use use) {
    return (running == null || use.running() <= running)
        && (gpuMilli == null || use.gpuMilli() <= gpuMilli)
        && (gpuMinutes == null || use.milliMillis() <= gpuMinutes * MINUTE_MILLI_MILLIS);
  }

  /** Whether one job may run where nothing else does. */
  public boolean admitOne(Demand ask) {
    return admit(Use.NOTHING.and(ask));
  }

  /**
   * What one job counts.
   *
   * @param gpuMilli thousandths of GPUs that it asks for
   * @param milliMillis these times the milliseconds that it may still run; {@link #endless} when
   *     nothing ends it
   */
  public record Demand(long gpuMilli, long milliMillis) {
    /**
     * @param left how long it may still run, none below zero; null = nothing ends it
     */
    public static Demand of(long gpuMilli, @Nullable Duration left) {
      long most = gpuMilli == 0 ? 0 : ENDLESS / gpuMilli;
      long millis = left == null ? most : Math.clamp(left.toMillis(), 0, most);
      return new Demand(gpuMilli, left == null && gpuMilli > 0 ? ENDLESS : gpuMilli * millis);
    }

    /** Whether nothing ends it. */
    public boolean endless() {
      return milliMillis >= ENDLESS;
    }

    /** In whole GPU-minutes, rounded up. */
    public long gpuMinutes() {
      return minutes(milliMillis);
    }
  }

  /** What is there already. */
  public record Use(int running, long gpuMilli, long milliMillis) {
    public static final Use NOTHING = new Use(0, 0, 0);

    /** With one more. */
    public Use and(Demand more) {
      return new Use(
          running + 1,
          gpuMilli + more.gpuMilli(),
          Math.min(ENDLESS, milliMillis + more.milliMillis()));
    }

    /** Whether nothing ends one of its jobs. */
    public boolean endless() {
      return milliMillis >= ENDLESS;
    }

    /** In whole GPU-minutes, rounded up. */
    public long gpuMinutes() {
      return minutes(milliMillis);
    }
  }

  private static long minutes(long milliMillis) {
    return Math.ceilDiv(milliMillis, MINUTE_MILLI_MILLIS);
  }
}
