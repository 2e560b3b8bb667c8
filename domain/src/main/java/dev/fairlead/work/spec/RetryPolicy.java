package dev.fairlead.work.spec;

import dev.fairlead.work.attempt.FailureCause;
import java.util.List;

/**
 * Number of attempts of a job, and the failures after which another follows.
 *
 * @param maxAttempts total number of attempts that may use the retry budget, 1..20
 * @param on failure causes that are retried
 */
public record RetryPolicy(int maxAttempts, List<FailureCause> on) {
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(
          3,
          List.of(
              FailureCause.NODE_FAILURE,
              FailureCause.GPU_FAULT,
              FailureCause.CLUSTER_LOST,
              FailureCause.NETWORK,
              FailureCause.START_TIMEOUT,
              FailureCause.PLACEMENT_CONFLICT));

  public RetryPolicy {
    on = List.copyOf(on);
  }
}
