package dev.fairlead.fleet.quota;

import java.time.Duration;
import java.time.Instant;

/**
 * Use by ended jobs, for a node of the tree that weighs past use. It halves with each half-life of
 * the node (like {@code PriorityDecayHalfLife} of Slurm's multifactor priority:
 * slurm.schedmd.com/priority_multifactor.html).
 *
 * @param node the node with the half-life
 * @param queue the queue of the jobs, the node itself or below it
 * @param user the user of the jobs
 * @param milliSeconds thousandths of GPUs times seconds, decayed up to {@code at}
 */
public record PastUse(
    QuotaNodeId node, QuotaNodeId queue, String user, long milliSeconds, Instant at) {
  private static final double LN2 = Math.log(2);

  /**
   * Returns the use of this many GPUs over a time, decayed up to its end: g * H / ln 2 * (1 -
   * 2^(-time/H)).
   *
   * @param gpuMilli thousandths of GPUs
   */
  public static long milliSeconds(long gpuMilli, Instant from, Instant to, Duration halfLife) {
    return Math.round(gpuMilli * halfLife.toSeconds() / LN2 * gone(from, to, halfLife));
  }

  /**
   * Returns the average number of GPUs for this use, weighting recent use more. For constant use it
   * equals that use.
   *
   * @return thousandths of GPUs
   */
  public long averageMilli(Duration halfLife, Instant asOf) {
    double left = 1 - gone(at, asOf, halfLife);
    return Math.round(milliSeconds * LN2 / halfLife.toSeconds() * left);
  }

  /** Returns the average for a user that has used this many GPUs since a time. */
  public static long averageMilli(long gpuMilli, Instant since, Duration halfLife, Instant asOf) {
    return Math.round(gpuMilli * gone(since, asOf, halfLife));
  }

  /** Returns the decayed fraction, 0 to 1. Decay does not reverse if a clock is set back. */
  private static double gone(Instant from, Instant to, Duration halfLife) {
    double seconds = Math.max(0, Duration.between(from, to).toMillis()) / 1000.0;
    return 1 - Math.exp(-LN2 * seconds / Math.max(1, halfLife.toSeconds()));
  }
}
