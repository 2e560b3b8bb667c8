package dev.fairlead.quota;

import org.jspecify.annotations.Nullable;

/**
 * What each user may have at once in a queue.
 *
 * @param running jobs that hold GPUs or nodes, each element of an array by itself; null = no limit
 * @param gpuMilli thousandths of GPUs that these ask for; null = no limit
 * @param queued jobs that wait, each array as one; more are refused; null = no limit
 */
public record UserLimits(
    @Nullable Integer running, @Nullable Long gpuMilli, @Nullable Integer queued) {
  public static final UserLimits NONE = new UserLimits(null, null, null);

  /** Whether a user whose jobs then run with so much stays within them. */
  public boolean admit(Use use) {
    return (running == null || use.running() <= running)
        && (gpuMilli == null || use.gpuMilli() <= gpuMilli);
  }

  /**
   * Whether a user with nothing else may run one job.
   *
   * @param gpuMilli thousandths of GPUs that it asks for
   */
  public boolean admitOne(long gpuMilli) {
    return admit(Use.NOTHING.and(gpuMilli));
  }

  /** What a user has in a queue. */
  public record Use(int running, long gpuMilli) {
    public static final Use NOTHING = new Use(0, 0);

    /** With one more. */
    public Use and(long more) {
      return new Use(running + 1, gpuMilli + more);
    }
  }
}
