package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.spec.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Next step after a failed attempt, by the policy of its job. */
public final class Retry {
  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);
  static final Duration LONGEST_BACKOFF = Duration.ofMinutes(10);
  private static final int DOUBLINGS = 6;

  /** Number of consecutive faults with an immediate retry. Later ones have a back-off. */
  public static final int FAULTS_AT_ONCE = 3;

  /** More consecutive faults end the job, because the job itself may cause them. */
  static final int MOST_FAULTS = 20;

  private static final String BREAKS =
      ", each within an hour of its start: the job itself may cause the device faults. Run it on"
          + " one node under observation before it is submitted again";

  private Retry() {}

  /**
   * Next step after an attempt that ended with the failure. If its machine had announced its end,
   * it is retried immediately without using a retry, no matter how often it happens. A placement
   * conflict spends no budget, so it may be followed by any number of others. The back-off grows
   * with each of these failures. An end explained by an incident, or a hang, uses no retry either,
   * regardless of the causes that the job retries, because the faulty node is out of service. Up to
   * three consecutive faults are retried immediately, later ones with a growing back-off, and none
   * after twenty, so that a job that breaks nodes does not break a whole fleet. This also applies
   * to the twentieth failure and later ones, whose reports may still arrive. An attempt that ran
   * for {@link JobStatus#RAN_LONG} ends the row. Other preemptions and ends of attempts do not
   * count. A move off a GPU that its device plugin reports as unhealthy counts as a fault, but is
   * always retried immediately.
   *
   * @param run the life so far, the ended attempt included
   */
  public static JobEvent after(
      RetryPolicy policy, Failure failure, AttemptState end, JobStatus run, Instant now) {
    int failuresBefore = run.failures();
    int uncountedBefore = Math.max(0, run.attempts() - 1 - failuresBefore);
    if (end == AttemptState.PREEMPTED) {
      return new JobEvent.Requeued(failure, false, null);
    }
    if (failure.wasAnnounced()) {
      return new JobEvent.Requeued(failure, false, null);
    }
    if (failure.faulty()) {
      return afterFault(failure, run.faultsBefore(now) + 1, now);
    }
    if (failure.cause() == FailureCause.PLACEMENT_CONFLICT) {
      if (PlaceFailure.nothingSent(failure)) {
        /* Each conflict followed five seconds of silence. The scheduler excludes the cluster. */
        return new JobEvent.Requeued(
            failure, false, uncountedBefore == 0 ? null : now.plus(FIRST_BACKOFF));
      }
      Optional<ClusterRefusal> refused = ClusterRefusal.of(failure);
      boolean leftOut = refused.isPresent() && uncountedBefore == 0;
      if (leftOut || refused.filter(r -> r == ClusterRefusal.STORAGE).isPresent()) {
        /* The scheduler excludes the cluster at fault. The next cluster may have the claim. */
        return new JobEvent.Requeued(failure, false, null);
      }
      return new JobEvent.Requeued(failure, false, now.plus(backoff(uncountedBefore)));
    }
    if (end == AttemptState.FAILED && run.faultsBefore(now) >= MOST_FAULTS) {
      return new JobEvent.Failed( // this end may also be of a fault that is not reported yet
          failure.saying(" after %d faults in a row%s".formatted(run.faults(), BREAKS)));
    }
    boolean lost = end == AttemptState.LOST && policy.on().contains(FailureCause.NODE_FAILURE);
    boolean retried = end == AttemptState.EVICTED || lost || policy.on().contains(failure.cause());
    return retried && failuresBefore + 1 < policy.maxAttempts()
        ? new JobEvent.Requeued(failure, true, now.plus(backoff(failuresBefore)))
        : new JobEvent.Failed(failure);
  }

  /**
   * After an attempt that has saved some of its work or ran for {@link JobStatus#RAN_LONG}, the
   * back-off begins again, because the job made progress. Retries and consecutive faults remain
   * counted. Otherwise a job that breaks each node would break every node of the fleet.
   *
   * @param after the life behind the end of the attempt
   */
  static JobStatus restarted(JobStatus after, Attempt ended, Instant now) {
    Instant first = now.plus(FIRST_BACKOFF);
    Instant at = after.retryAt();
    return at != null && at.isAfter(first) && (ended.checkpointedAt() != null || ranLong(ended))
        ? after.retryAt(first)
        : after;
  }

  private static boolean ranLong(Attempt ended) {
    Instant start = ended.startedAt();
    Instant end = ended.endedAt();
    return start != null && end != null && !end.isBefore(start.plus(JobStatus.RAN_LONG));
  }

  private static JobEvent afterFault(Failure failure, int faults, Instant now) {
    if (faults > MOST_FAULTS) {
      return new JobEvent.Failed(tooMany(failure, faults));
    }
    Instant at = faults <= FAULTS_AT_ONCE ? null : now.plus(backoff(faults - FAULTS_AT_ONCE - 1));
    return new JobEvent.Requeued(failure, false, at);
  }

  /** The failure of a job after this many consecutive faults, in words. */
  static Failure tooMany(Failure failure, int faults) {
    return failure.saying("; %d faults in a row%s".formatted(faults, BREAKS));
  }

  /** 10 s after the first failure, doubling to 10 min. */
  static Duration backoff(int failuresBefore) {
    Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(failuresBefore, DOUBLINGS));
    return doubled.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : doubled;
  }
}
