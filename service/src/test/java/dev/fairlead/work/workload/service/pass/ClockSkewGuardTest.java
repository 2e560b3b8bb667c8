package dev.fairlead.work.workload.service.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.StopCause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The database's clock is set forward by an hour, unlike this process's clock. */
class ClockSkewGuardTest {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
  private static final Duration STEP = Duration.ofHours(1);
  private static final Instant SEEN = START.plusSeconds(10).plus(STEP);
  private static final Instant NOW = SEEN.plusSeconds(30);
  private long seconds;
  private final ClockSkewGuard guard =
      new ClockSkewGuard(() -> Duration.ofSeconds(seconds).toNanos());

  private Instant judged(Attempt attempt) {
    guard.look(() -> START);
    seconds += 10;
    assertThat(guard.look(() -> SEEN).stepped()).isTrue();
    return guard.of(attempt, NOW);
  }

  private static Attempt attempt(Instant created, Attempt.@Nullable StopOrder stop) {
    return new Attempt(
        new AttemptId(new UUID(1, 1)),
        new JobId(new UUID(1, 2)),
        0,
        1,
        new ClusterId(new UUID(1, 4)),
        1,
        created,
        AttemptStatus.of(stop == null ? AttemptState.RUNNING : AttemptState.STOPPING)
            .withStartedAt(created)
            .withStop(stop),
        List.of(),
        List.of());
  }

  private static Attempt asked(Instant at) {
    Instant until = at.plusSeconds(60);
    CheckpointRequest request = new CheckpointRequest(at, until, null);
    return attempt(START, new Attempt.StopOrder(StopCause.PREEMPTION, until, request));
  }

  /** Fails when a step shortens time limits that began before it. */
  @Test
  void stepDoesNotApplyToEarlierDeadlines() {
    assertThat(judged(attempt(START, null))).isEqualTo(NOW.minus(STEP));
  }

  /** Fails when attempts after the step, and before its detection, are judged an hour late. */
  @Test
  void deadlinesAfterAStepUseTheCurrentClock() {
    assertThat(judged(attempt(SEEN.minusSeconds(5), null))).isEqualTo(NOW);
  }

  /** Fails when a request waits an hour longer since its attempt began before the step. */
  @Test
  void requestIsJudgedByTheClockStepsSinceItWasStored() {
    assertThat(judged(asked(SEEN.minusSeconds(5)))).isEqualTo(NOW);
  }

  /** Fails when the time of a request expires before its program has received it. */
  @Test
  void stepDoesNotApplyToAnEarlierStoredRequest() {
    assertThat(judged(asked(START.plusSeconds(5)))).isEqualTo(NOW.minus(STEP));
  }
}
