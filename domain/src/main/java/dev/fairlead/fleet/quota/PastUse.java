package dev.fairlead.fleet.quota;

import java.time.Duration;
import java.time.Instant;

/**
 * What jobs that have ended used, for a node of the tree that weighs it in. Past use halves with
 * each half-life of the node (as {@code PriorityDecayHalfLife} of Slurm's multifactor priority:
 * slurm.schedmd.com/priority_multifactor.html).
 *
 * @param node whose half-life it decays by
 * @param queue in which it was used, the node itself or below it
 * @param user who used it
 * @param milliSeconds thousandths of GPUs times seconds, decayed up to {@code at}
 */
public record PastUse(
    QuotaNodeId node, QuotaNodeId queue, String user, long milliSeconds, Instant at) {
  private static final double LN2 = Math.log(2);

  /**
   * Use of so many GPUs over a time, decayed up to its end: g * H / ln 2 * (1 - 2^(-time/H)).
   *
   * @param gpuMilli thousandths of GPUs
   */
  public static long milliSeconds(long gpuMilli, Instant from, Instant to, Duration halfLife) {
    return Math.round(gpuMilli * halfLife.toSeconds() / LN2 * gone(from, to, halfLife));
  }

  /**
   * GPUs that such use is on average, where what was long ago counts less: for who used the same
   * all along just that.
   *
   * @return thousandths of GPUs
   */
  public long averageMilli(Duration halfLife, Instant asOf) {
    double left = 1 - gone(at, asOf, halfLife);
    return Math.round(milliSeconds * LN2 / halfLife.toSeconds() * left);
  }

  /** The same of who has been using so many GPUs since a time. */
  public static long averageMilli(long gpuMilli, Instant since, Duration halfLife, Instant asOf) {
    return Math.round(gpuMilli * gone(since, asOf, halfLife));
  }

  /** The part that has decayed, 0 to 1; nothing decays back when a clock is set back. */
  private static double gone(Instant from, Instant to, Duration halfLife) {
    double seconds = Math.max(0, Duration.between(from, to).toMillis()) / 1000.0;
    return 1 - Math.exp(-LN2 * seconds / Math.max(1, halfLife.toSeconds()));
  }
}
