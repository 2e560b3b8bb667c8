package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.lifecycle.ExpectedTable;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobLifecycleTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Instant LATER = NOW.plus(Duration.ofMinutes(1));
  private static final Failure FAILURE = Failure.of(FailureCause.NODE_FAILURE, "node died", 1);

  @Test
  void transitionsMatchTheTable() {
    ExpectedTable.of(
            """
            QUEUED: ADMITTED -> ADMITTED, EXPIRED -> FAILED, CANCEL_REQUESTED -> CANCELLING, CANCELLED -> CANCELLED, SUSPENDED -> SUSPENDED, \
                REQUEUE_REQUESTED -> QUEUED, SUCCEEDED -> SUCCEEDED
            ADMITTED: STARTING -> STARTING, RUNNING -> RUNNING, REQUEUED -> QUEUED, SUCCEEDED -> SUCCEEDED, \
                FAILED -> FAILED, CANCEL_REQUESTED -> CANCELLING, SUSPENDED -> SUSPENDED, REQUEUE_REQUESTED -> QUEUED
            STARTING: RUNNING -> RUNNING, REQUEUED -> QUEUED, SUCCEEDED -> SUCCEEDED, FAILED -> FAILED, \
                CANCEL_REQUESTED -> CANCELLING, SUSPENDED -> SUSPENDED, REQUEUE_REQUESTED -> QUEUED
            RUNNING: REQUEUED -> QUEUED, SUCCEEDED -> SUCCEEDED, FAILED -> FAILED, CANCEL_REQUESTED -> CANCELLING, \
                SUSPENDED -> SUSPENDED, REQUEUE_REQUESTED -> QUEUED
            SUSPENDED: CANCEL_REQUESTED -> CANCELLING, CANCELLED -> CANCELLED, RESUMED -> QUEUED, \
                SUCCEEDED -> SUCCEEDED
            CANCELLING: CANCELLED -> CANCELLED, SUCCEEDED -> SUCCEEDED
            SUCCEEDED:
            FAILED:
            CANCELLED:
            """)
        .assertSameAs(JobLifecycle.TABLE);
  }

  @ParameterizedTest
  @EnumSource(
      value = JobState.class,
      names = {"SUCCEEDED", "FAILED", "CANCELLED"})
  void endedJobAcceptsNoEvent(JobState ended) {
    JobStatus run = in(ended);
    for (JobEvent event : everyEvent()) {
      assertThat(JobLifecycle.apply(run, event, NOW))
          .isEqualTo(new JobLifecycle.Step.Rejected(ended, event.kind()));
    }
  }

  @Test
  void admissionCountsTheAttemptAndClearsTheLastFailure() {
    JobStatus waited = new JobStatus(JobState.QUEUED, NOW, null, null, 1, 1, 0, LATER, FAILURE);

    JobStatus run = moved(waited, new JobEvent.Admitted(new AttemptId(new UUID(1, 1))));

    assertThat(run)
        .isEqualTo(new JobStatus(JobState.ADMITTED, LATER, null, null, 2, 1, 0, null, null));
  }

  @Test
  void firstStartIsRetained() {
    JobStatus first = moved(in(JobState.STARTING), new JobEvent.Running());
    assertThat(first.startedAt()).isEqualTo(LATER);

    JobStatus again = moved(in(JobState.STARTING, NOW), new JobEvent.Running());
    assertThat(again.startedAt()).isEqualTo(NOW);
  }

  @Test
  void jobThatSucceedsWhileUnreachableHasStarted() {
    JobStatus run = moved(in(JobState.STARTING), new JobEvent.Succeeded());

    assertThat(run.startedAt()).isEqualTo(LATER);
    assertThat(run.endedAt()).isEqualTo(LATER);
    assertThat(run.failure()).isNull();
  }

  @Test
  void requeueSpendsRetriesOnlyWhenItCounts() {
    JobStatus free = moved(in(JobState.RUNNING), new JobEvent.Requeued(FAILURE, false, null));
    JobStatus counted = moved(in(JobState.RUNNING), new JobEvent.Requeued(FAILURE, true, LATER));

    assertThat(free.failures()).isZero();
    assertThat(free.retryAt()).isNull();
    assertThat(counted.failures()).isEqualTo(1);
    assertThat(counted.retryAt()).isEqualTo(LATER);
    assertThat(counted.failure()).isEqualTo(FAILURE);
  }

  @Test
  void failureEndsTheJobWithItsReason() {
    JobStatus run = moved(in(JobState.RUNNING), new JobEvent.Failed(FAILURE));

    assertThat(run.state()).isEqualTo(JobState.FAILED);
    assertThat(run.endedAt()).isEqualTo(LATER);
    assertThat(run.failure()).isEqualTo(FAILURE);
  }

  private static JobStatus moved(JobStatus run, JobEvent event) {
    return ((JobLifecycle.Step.Moved) JobLifecycle.apply(run, event, LATER)).run();
  }

  private static JobStatus in(JobState state) {
    return in(state, null);
  }

  private static JobStatus in(JobState state, Instant started) {
    return new JobStatus(state, NOW, started, null, 1, 0, 0, null, null);
  }

  private static JobEvent[] everyEvent() {
    return new JobEvent[] {
      new JobEvent.Admitted(new AttemptId(new UUID(1, 1))),
      new JobEvent.Starting(),
      new JobEvent.Running(),
      new JobEvent.Requeued(FAILURE, true, null),
      new JobEvent.Succeeded(),
      new JobEvent.Failed(FAILURE),
      new JobEvent.CancelRequested(),
      new JobEvent.Cancelled(),
      new JobEvent.Suspended(),
      new JobEvent.Resumed()
    };
  }
}
