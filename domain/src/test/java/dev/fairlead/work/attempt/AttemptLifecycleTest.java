package dev.fairlead.work.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lifecycle.ExpectedTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AttemptLifecycleTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Instant LATER = NOW.plus(Duration.ofMinutes(1));
  private static final Failure FAILURE = Failure.of(FailureCause.USER_ERROR, "exit 1", 1);

  @Test
  void transitionsMatchTheTable() {
    ExpectedTable.of(
            """
            PLANNED: LAUNCH -> LAUNCHING, STOP -> STOPPING, PREEMPTED -> PREEMPTED, EVICTED -> EVICTED, \
                CANCELLED -> CANCELLED
            LAUNCHING: PULLING -> PULLING, RUNNING -> RUNNING, STOP -> STOPPING, UNREACHABLE -> UNKNOWN, \
                SUCCEEDED -> SUCCEEDED, FAILED -> FAILED, EVICTED -> EVICTED, LOST -> LOST
            PULLING: RUNNING -> RUNNING, STOP -> STOPPING, UNREACHABLE -> UNKNOWN, SUCCEEDED -> SUCCEEDED, \
                FAILED -> FAILED, EVICTED -> EVICTED, LOST -> LOST
            RUNNING: STOP -> STOPPING, UNREACHABLE -> UNKNOWN, SUCCEEDED -> SUCCEEDED, FAILED -> FAILED, \
                EVICTED -> EVICTED, LOST -> LOST
            STOPPING: CHECKPOINT_ENDED -> STOPPING, SUCCEEDED -> SUCCEEDED, FAILED -> FAILED, PREEMPTED -> PREEMPTED, EVICTED -> EVICTED, \
                LOST -> LOST, CANCELLED -> CANCELLED
            UNKNOWN: STOP -> STOPPING, SEEN_LAUNCHING -> LAUNCHING, SEEN_PULLING -> PULLING, \
                SEEN_RUNNING -> RUNNING, SEEN_STOPPING -> STOPPING, SUCCEEDED -> SUCCEEDED, FAILED -> FAILED, \
                PREEMPTED -> PREEMPTED, EVICTED -> EVICTED, LOST -> LOST, CANCELLED -> CANCELLED
            SUCCEEDED:
            FAILED:
            PREEMPTED:
            EVICTED:
            LOST:
            CANCELLED:
            """)
        .assertSameAs(AttemptLifecycle.TABLE);
  }

  @ParameterizedTest
  @EnumSource(AttemptState.class)
  void anAttemptLivesUntilItsStateIsTerminal(AttemptState state) {
    boolean terminal =
        switch (state) {
          case SUCCEEDED, FAILED, PREEMPTED, EVICTED, LOST, CANCELLED -> true;
          case PLANNED, LAUNCHING, PULLING, RUNNING, STOPPING, UNKNOWN -> false;
        };

    assertThat(in(state).live()).isEqualTo(!terminal);
  }

  @Test
  void runningRecordsTheStartOnce() {
    Attempt first = apply(in(AttemptState.PULLING), new AttemptEvent.Progress(true));

    assertThat(first.startedAt()).isEqualTo(LATER);
    assertThat(AttemptLifecycle.apply(first, new AttemptEvent.Progress(true), LATER)).isEmpty();
  }

  @Test
  void attemptFirstSeenRunningAfterSilenceHasStarted() {
    // Without a start its maxRuntime would never end it.
    Attempt seen = apply(in(AttemptState.UNKNOWN), new AttemptEvent.Seen(AttemptState.RUNNING));

    assertThat(seen.startedAt()).isEqualTo(LATER);
  }

  @Test
  void stopRetainsCauseDeadlineAndReason() {
    Attempt stopping =
        apply(
            in(AttemptState.RUNNING),
            new AttemptEvent.Stop(StopCause.MEMBER_FAILED, FAILURE, LATER));

    assertThat(stopping.stop())
        .isEqualTo(new Attempt.StopOrder(StopCause.MEMBER_FAILED, LATER, null));
    assertThat(stopping.failure()).isEqualTo(FAILURE);
  }

  @Test
  void endIsDatedAndRetainsItsReasonUnlessSuccessful() {
    Attempt failed =
        apply(in(AttemptState.RUNNING), new AttemptEvent.Ended(AttemptState.FAILED, FAILURE));
    Attempt good =
        apply(in(AttemptState.RUNNING), new AttemptEvent.Ended(AttemptState.SUCCEEDED, FAILURE));

    assertThat(failed.endedAt()).isEqualTo(LATER);
    assertThat(failed.failure()).isEqualTo(FAILURE);
    assertThat(good.endedAt()).isEqualTo(LATER);
    assertThat(good.failure()).isNull();
  }

  @Test
  void noLiveStateIsAnEndAndNoEndIsObservedAsLive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AttemptEvent.Ended(AttemptState.RUNNING, FAILURE).kind());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AttemptEvent.Seen(AttemptState.SUCCEEDED).kind());
  }

  private static Attempt apply(Attempt attempt, AttemptEvent event) {
    return AttemptLifecycle.apply(attempt, event, LATER).orElseThrow();
  }

  private static Attempt in(AttemptState state) {
    return new Attempt(
        new AttemptId(new UUID(1, 1)),
        new JobId(new UUID(1, 2)),
        0,
        1,
        new ClusterId(new UUID(1, 3)),
        1,
        NOW,
        AttemptStatus.of(state),
        List.of(),
        List.of());
  }
}
