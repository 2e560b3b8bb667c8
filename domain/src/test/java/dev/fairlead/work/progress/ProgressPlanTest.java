package dev.fairlead.work.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.progress.ProgressPlan.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The effect of the silence of an attempt. */
class ProgressPlanTest {
  private static final Instant BEGAN = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(0, 1));
  private static final JobId JOB = new JobId(new UUID(0, 2));
  private static final ClusterId CLUSTER = new ClusterId(new UUID(0, 3));

  private static Attempt in(AttemptState state) {
    return new Attempt(
        ATTEMPT,
        JOB,
        0,
        1,
        CLUSTER,
        1,
        BEGAN,
        AttemptStatus.of(state).withStartedAt(BEGAN),
        List.of(),
        List.of());
  }

  private static Step step(
      AttemptState state, @Nullable Instant called, Instant listening, Duration later) {
    WatchedAttempt watched =
        new WatchedAttempt(
            ATTEMPT, JOB, new TenantId(new UUID(0, 4)), CLUSTER, TIMEOUT, BEGAN, called);
    return ProgressPlan.of(watched, in(state), listening, BEGAN.plus(later));
  }

  @Test
  void attemptHangsAfterItsTimeoutWithoutProgress() {
    Instant called = BEGAN.plusSeconds(90);
    assertThat(step(AttemptState.RUNNING, null, BEGAN, TIMEOUT))
        .isEqualTo(new Step.Hangs(BEGAN, false));
    assertThat(step(AttemptState.RUNNING, called, BEGAN, TIMEOUT))
        .isEqualTo(new Step.Later(BEGAN, called.plus(TIMEOUT)));
    assertThat(step(AttemptState.RUNNING, called, BEGAN, TIMEOUT.plusSeconds(90)))
        .isEqualTo(new Step.Hangs(called, true));
  }

  /** Fails when a new process ends attempts because of calls before its start. */
  @Test
  void timeWithoutAListenerDoesNotCount() {
    Instant listening = BEGAN.plus(Duration.ofMinutes(9));
    assertThat(step(AttemptState.RUNNING, null, listening, TIMEOUT))
        .isEqualTo(new Step.Later(BEGAN, listening.plus(TIMEOUT)));
  }

  /** Fails when an unobservable attempt is ended, or its silence during that time counts. */
  @Test
  void unreachableAttemptIsCheckedLater() {
    Instant now = BEGAN.plus(TIMEOUT);
    assertThat(step(AttemptState.UNKNOWN, null, BEGAN, TIMEOUT))
        .isEqualTo(new Step.Later(now, now.plus(TIMEOUT)));
  }

  @Test
  void endedAttemptIsNoLongerWatched() {
    assertThat(step(AttemptState.STOPPING, null, BEGAN, TIMEOUT)).isEqualTo(new Step.Over());
    assertThat(step(AttemptState.SUCCEEDED, null, BEGAN, TIMEOUT)).isEqualTo(new Step.Over());
  }

  private static Step idle(AttemptState state, @Nullable LastActivity active, Duration later) {
    WatchedAttempt watched =
        new WatchedAttempt(
            ATTEMPT, JOB, new TenantId(new UUID(0, 4)), CLUSTER, TIMEOUT, BEGAN, null);
    return ProgressPlan.idle(watched, in(state), active, BEGAN.plus(later));
  }

  @Test
  void sessionWithoutActivityIsIdleAfterItsTimeout() {
    Instant active = BEGAN.plusSeconds(90);
    Instant ends = active.plus(TIMEOUT);
    Duration later = Duration.between(BEGAN, ends);
    assertThat(idle(AttemptState.RUNNING, new LastActivity(active, active), TIMEOUT))
        .isEqualTo(new Step.Later(BEGAN, ends));
    assertThat(idle(AttemptState.RUNNING, new LastActivity(active, ends), later))
        .isEqualTo(new Step.Idle(active));
    assertThat(idle(AttemptState.STOPPING, new LastActivity(active, ends), later))
        .isEqualTo(new Step.Over());
  }

  /** Fails when the time without a report counts as idle. */
  @Test
  void idleTimeEndsWithTheLastReport() {
    Instant active = BEGAN.plusSeconds(90);
    Instant ends = active.plus(TIMEOUT);
    assertThat(
            idle(
                AttemptState.RUNNING,
                new LastActivity(active, ends.minusSeconds(1)),
                Duration.between(BEGAN, ends)))
        .isEqualTo(new Step.Later(BEGAN, ends.plusSeconds(60)));
  }

  /** Fails when a notebook that is resumed is idle from its first second. */
  @Test
  void idleTimeBeforeTheStartDoesNotCount() {
    Instant now = BEGAN.plus(TIMEOUT).minusSeconds(1);
    assertThat(
            idle(
                AttemptState.RUNNING,
                new LastActivity(BEGAN.minusSeconds(90), now),
                Duration.between(BEGAN, now)))
        .isEqualTo(new Step.Later(BEGAN, BEGAN.plus(TIMEOUT)));
  }

  /** Fails when unknown activity suspends a job, or is never checked again. */
  @Test
  void unknownActivityIsCheckedAgainAfterAMinute() {
    assertThat(idle(AttemptState.RUNNING, null, TIMEOUT))
        .isEqualTo(new Step.Later(BEGAN, BEGAN.plus(TIMEOUT).plusSeconds(60)));
    assertThat(idle(AttemptState.UNKNOWN, new LastActivity(BEGAN, BEGAN), TIMEOUT))
        .isInstanceOf(Step.Later.class);
  }
}
