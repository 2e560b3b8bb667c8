package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.spec.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RetryTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "0, 10",
    "1, 20",
    "2, 40",
    "3, 80",
    "4, 160",
    "5, 320",
    "6, 600",
    "7, 600",
    "1000, 600"
  })
  void theBackOffDoublesToTenMinutes(int failures, long seconds) {
    assertThat(Retry.backoff(failures)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @EnumSource(FailureCause.class)
  void byDefaultTheCausesOfThePlatformAreRetried(FailureCause cause) {
    Set<FailureCause> retried =
        EnumSet.of(
            FailureCause.NODE_FAILURE,
            FailureCause.GPU_FAULT,
            FailureCause.CLUSTER_LOST,
            FailureCause.NETWORK,
            FailureCause.START_TIMEOUT,
            FailureCause.HANG,
            FailureCause.PLACEMENT_CONFLICT);

    JobEvent next =
        Retry.after(
            RetryPolicy.DEFAULT, Failure.of(cause, "", 1), AttemptState.FAILED, run(1, 0), NOW);

    assertThat(next.kind())
        .isEqualTo(retried.contains(cause) ? JobEvent.Kind.REQUEUED : JobEvent.Kind.FAILED);
  }

  @Test
  void lastAttemptIsNotRetried() {
    Failure failure = Failure.of(FailureCause.NODE_FAILURE, "", 3);

    assertThat(Retry.after(RetryPolicy.DEFAULT, failure, AttemptState.LOST, run(2, 1), NOW))
        .isEqualTo(new JobEvent.Requeued(failure, true, NOW.plusSeconds(20)));
    assertThat(Retry.after(RetryPolicy.DEFAULT, failure, AttemptState.LOST, run(3, 2), NOW))
        .isEqualTo(new JobEvent.Failed(failure));
  }

  /** Regardless of earlier occurrences, and of the job's retry rules. */
  @Test
  void noticedMachineLossIsRetriedImmediatelyAndSpendsNoRetry() {
    Failure told = Failure.of(FailureCause.NODE_FAILURE, "", 40).announced();
    RetryPolicy none = new RetryPolicy(1, List.of());

    assertThat(Retry.after(none, told, AttemptState.LOST, run(40, 0), NOW))
        .isEqualTo(new JobEvent.Requeued(told, false, null));
    assertThat(told.spentNothing()).as("an incident that explains it gives none back").isTrue();
  }

  @Test
  void anEvictionIsRetriedWithinTheBudget() {
    Failure failure = Failure.of(FailureCause.EVICTED, "", 1);

    assertThat(
            Retry.after(RetryPolicy.DEFAULT, failure, AttemptState.EVICTED, run(1, 0), NOW).kind())
        .isEqualTo(JobEvent.Kind.REQUEUED);
    assertThat(
            Retry.after(RetryPolicy.DEFAULT, failure, AttemptState.EVICTED, run(3, 2), NOW).kind())
        .isEqualTo(JobEvent.Kind.FAILED);
  }

  /**
   * A node that refused every pod of a job caused a new attempt every ten seconds without end:
   * found by the simulation.
   */
  @Test
  void placementConflictSpendsNoRetryButBacksOffLongerEachTime() {
    Failure failure = Failure.of(FailureCause.PLACEMENT_CONFLICT, "", 1);

    assertThat(Retry.after(RetryPolicy.DEFAULT, failure, AttemptState.FAILED, run(1, 0), NOW))
        .isEqualTo(new JobEvent.Requeued(failure, false, NOW.plusSeconds(10)));
    assertThat(Retry.after(RetryPolicy.DEFAULT, failure, AttemptState.FAILED, run(4, 1), NOW))
        .isEqualTo(new JobEvent.Requeued(failure, false, NOW.plusSeconds(40)));
    assertThat(Retry.after(RetryPolicy.DEFAULT, failure, AttemptState.FAILED, run(1000, 0), NOW))
        .isEqualTo(new JobEvent.Requeued(failure, false, NOW.plusSeconds(600)));
  }

  /** Fails when a job with progress waits as long as one without. */
  @Test
  void backOffRestartsAfterAnAttemptThatSavedProgress() {
    Attempt plain = attempt();
    Attempt saved = plain.checkpointed(NOW);
    JobStatus waits = run(4, 3).retryAt(NOW.plusSeconds(80));
    assertThat(Retry.restarted(waits, plain, NOW)).isEqualTo(waits);
    assertThat(Retry.restarted(waits, saved, NOW)).isEqualTo(waits.retryAt(NOW.plusSeconds(10)));
    assertThat(Retry.restarted(waits.retryAt(null), saved, NOW)).isEqualTo(waits.retryAt(null));
  }

  /** Fails when a gang that ran for days waits for minutes because of failures on earlier days. */
  @Test
  void backOffRestartsAfterAnAttemptThatRanForAnHour() {
    JobStatus waits = run(4, 3).retryAt(NOW.plusSeconds(80));
    assertThat(Retry.restarted(waits, ran(JobStatus.RAN_LONG.minusSeconds(1)), NOW))
        .isEqualTo(waits);
    assertThat(Retry.restarted(waits, ran(JobStatus.RAN_LONG), NOW))
        .isEqualTo(waits.retryAt(NOW.plusSeconds(10)));
  }

  private static Attempt ran(Duration time) {
    Attempt ended = attempt();
    return ended.withStatus(ended.status().withStartedAt(NOW.minus(time)));
  }

  /** Fails when a job waits for hours because the clock was ahead when its attempt ended. */
  @Test
  void backOffOfASetBackClockIsIgnored() {
    JobStatus backsOff = run(1, 1).retryAt(NOW.plus(Duration.ofMinutes(10)));
    assertThat(backsOff.waitsUntil(NOW)).isEqualTo(NOW.plus(Duration.ofMinutes(10)));
    assertThat(backsOff.waitsUntil(NOW.minus(Duration.ofHours(3)))).isNull();
  }

  private static Attempt attempt() {
    return new Attempt(
        new AttemptId(new UUID(1, 1)),
        new JobId(new UUID(1, 2)),
        0,
        1,
        new ClusterId(new UUID(1, 3)),
        1,
        NOW,
        AttemptStatus.of(AttemptState.FAILED).withEndedAt(NOW),
        List.of(),
        List.of());
  }

  private static JobStatus run(int attempts, int failures) {
    return new JobStatus(JobState.STARTING, NOW, null, null, attempts, failures, 0, null, null);
  }
}
