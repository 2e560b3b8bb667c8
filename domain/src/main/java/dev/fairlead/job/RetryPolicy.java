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

  /** So many faults in a row are tried again at once, the others with a back-off. */
  private static final int FAULTS_AT_ONCE = 3;

  /** More faults in a row end the job: it may be what breaks its places. */
  static final int MOST_FAULTS = 20;

  private static final String BREAKS =
      ", each within an hour of its start: the job may be what breaks the devices. Run it on one"
          + " node under observation before it is submitted again";

  public RetryPolicy {
    on = List.copyOf(on);
  }

  /**
   * What follows an attempt that ended for the failure. A placement conflict spends no budget, so
   * it may be followed by any number of others; its back-off grows with them. What an incident
   * explains spends none either, whatever the causes are that the job retries: the sick place is
   * out of use. It is tried again at once, after three faults in a row with a back-off that grows,
   * and after twenty no more, so that a job that breaks each place does not go through a fleet;
   * that holds also for a failure after twenty of them, whose report may be still to come. An
   * attempt that ran for {@link JobStatus#RAN_LONG} ends the row; preemptions and what else ends
   * attempts do not count in it.
   *
   * @param run the life so far, the ended attempt included
   */
  public JobEvent after(Failure failure, AttemptState end, JobStatus run, Instant now) {
    int failuresBefore = run.failures();
    int uncountedBefore = Math.max(0, run.attempts() - 1 - failuresBefore);
    if (end == AttemptState.PREEMPTED) {
      return new JobEvent.Requeued(failure, false, null);
    }
    if (failure.explained()) {
      return afterFault(failure, run.faultsBefore(now) + 1, now);
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
    if (end == AttemptState.FAILED && run.faultsBefore(now) >= MOST_FAULTS) {
      // a fault may be behind this end too, and its report is still to come
      return new JobEvent.Failed(
          failure.saying("; before it came %d faults in a row%s".formatted(run.faults(), BREAKS)));
    }
    boolean lost = end == AttemptState.LOST && on.contains(FailureCause.NODE_FAILURE);
    boolean retried = end == AttemptState.EVICTED || lost || on.contains(failure.cause());
    return retried && failuresBefore + 1 < maxAttempts
        ? new JobEvent.Requeued(failure, true, now.plus(backoff(failuresBefore)))
        : new JobEvent.Failed(failure);
  }

  private static JobEvent afterFault(Failure failure, int faults, Instant now) {
    if (faults > MOST_FAULTS) {
      return new JobEvent.Failed(tooMany(failure, faults));
    }
    Instant at = faults <= FAULTS_AT_ONCE ? null : now.plus(backoff(faults - FAULTS_AT_ONCE - 1));
    return new JobEvent.Requeued(failure, false, at);
  }

  /** What ends a job after so many faults in a row, in words. */
  static Failure tooMany(Failure failure, int faults) {
    return failure.saying("; %d faults in a row%s".formatted(faults, BREAKS));
  }

  /** 10 s after the first failure, doubling to 10 min. */
  public static Duration backoff(int failuresBefore) {
    Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(failuresBefore, DOUBLINGS));
    return doubled.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : doubled;
  }
}
