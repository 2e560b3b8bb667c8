package dev.fairlead.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * When a failed attempt is followed by another.
 *
 * @param maxAttempts attempts in all that may spend budget, 1..20
 * @param on causes that are retried
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

  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);
  private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(10);
  private static final int DOUBLINGS = 6;

  /** Explained failures are tried again at once after so many attempts that spent nothing. */
  private static final int EXPLAINED_AT_ONCE = 3;

  public RetryPolicy {
    on = List.copyOf(on);
  }

  /**
   * What follows an attempt that ended for the failure. A placement conflict spends no budget, so
   * it may be followed by any number of others; its back-off grows with them. What an incident
   * explains spends none either, whatever the causes are that the job retries: the sick place is
   * out of use. It is tried again at once, unless the job had three attempts that spent nothing:
   * then with a back-off that grows, so that a job that breaks each place does not go through a
   * fleet.
   *
   * @param run the life so far, the ended attempt included
   */
  public JobEvent after(Failure failure, AttemptState end, Run run, Instant now) {
    int failuresBefore = run.failures();
    int uncountedBefore = Math.max(0, run.attempts() - 1 - failuresBefore);
    if (end == AttemptState.PREEMPTED) {
      return new JobEvent.Requeued(failure, false, null);
    }
    if (failure.explained()) {
      boolean atOnce = uncountedBefore < EXPLAINED_AT_ONCE;
      return new JobEvent.Requeued(
          failure, false, atOnce ? null : now.plus(backoff(uncountedBefore - EXPLAINED_AT_ONCE)));
    }
    if (failure.cause() == FailureCause.PLACEMENT_CONFLICT) {
      if (PlaceFailure.nothingSent(failure)) {
        // five seconds of silence came before each, and the scheduler leaves out that cluster
        return new JobEvent.Requeued(
            failure, false, uncountedBefore == 0 ? null : now.plus(FIRST_BACKOFF));
      }
      boolean leftOut = ClusterRefusal.of(failure).isPresent();
      if (uncountedBefore == 0 && leftOut) {
        // the scheduler leaves out the cluster at fault, and others need not wait for that
        return new JobEvent.Requeued(failure, false, null);
      }
      return new JobEvent.Requeued(failure, false, now.plus(backoff(uncountedBefore)));
    }
    boolean lost = end == AttemptState.LOST && on.contains(FailureCause.NODE_FAILURE);
    boolean retried = end == AttemptState.EVICTED || lost || on.contains(failure.cause());
    return retried && failuresBefore + 1 < maxAttempts
        ? new JobEvent.Requeued(failure, true, now.plus(backoff(failuresBefore)))
        : new JobEvent.Failed(failure);
  }

  /** 10 s after the first failure, doubling to 10 min. */
  public static Duration backoff(int failuresBefore) {
    Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(failuresBefore, DOUBLINGS));
    return doubled.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : doubled;
  }
}
