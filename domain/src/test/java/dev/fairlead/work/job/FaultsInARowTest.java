package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.spec.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A job with nodes that fail one after the other. */
class FaultsInARowTest {
  private static final Failure SICK =
      Failure.ofIncident("XID 79", 1, "worker-0", "n1", null, "inc_1");
  private static final Failure ROOM = Failure.preempted(EvictionRight.WITHIN_QUEUE, 1);
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private JobStatus run = JobStatus.queued(now);

  /** Places the job, runs it for this time, and ends its attempt. */
  private JobStatus ends(Failure failure, AttemptState end, Duration ran) {
    move(new JobEvent.Admitted(new AttemptId(new UUID(1, run.attempts()))));
    move(new JobEvent.Running());
    now = now.plus(ran);
    move(Retry.after(RetryPolicy.DEFAULT, failure, end, run, now));
    return run;
  }

  private void move(JobEvent event) {
    run = JobTransitions.step(run, event, now).orElseThrow();
  }

  private JobStatus sick() {
    return ends(SICK, AttemptState.FAILED, Duration.ofMinutes(1));
  }

  /** Fails when preemptions count in the back-off of faults, or a placement resets the count. */
  @Test
  void afterThreeConsecutiveFaultsBackOffGrowsDespiteOtherEnds() {
    for (int preempted = 0; preempted < 9; preempted++) {
      assertThat(ends(ROOM, AttemptState.PREEMPTED, Duration.ofMinutes(1)).retryAt()).isNull();
    }
    for (int fault = 0; fault < 3; fault++) {
      assertThat(sick().retryAt()).isNull();
    }
    assertThat(sick().retryAt()).isEqualTo(now.plus(Retry.backoff(0)));
    ends(ROOM, AttemptState.PREEMPTED, Duration.ZERO);
    assertThat(sick().retryAt()).as("kept").isEqualTo(now.plus(Retry.backoff(1)));
    assertThat(run.failures()).isZero();
  }

  /** Fails when a job that breaks each node is retried forever, or ends without a reason. */
  @Test
  void jobFailsAfterTwentyFaultsAndReportsWhy() {
    for (int fault = 0; fault < Retry.MOST_FAULTS; fault++) {
      assertThat(sick().state()).isEqualTo(JobState.QUEUED);
    }
    assertThat(sick().state()).isEqualTo(JobState.FAILED);
    assertThat(run.failure().message()).startsWith("XID 79; 21 faults in a row");
    assertThat(run.failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
  }

  /** Fails when a training job that makes progress ends because of repeated fleet faults. */
  @Test
  void attemptThatRanForAnHourResetsTheCount() {
    for (int fault = 0; fault < 5 * Retry.MOST_FAULTS; fault++) {
      assertThat(ends(SICK, AttemptState.FAILED, JobStatus.RAN_LONG).retryAt()).isNull();
    }
    assertThat(run.faults()).isEqualTo(1);
  }
}
