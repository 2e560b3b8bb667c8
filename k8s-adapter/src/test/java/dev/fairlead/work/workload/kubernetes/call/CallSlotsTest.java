package dev.fairlead.work.workload.kubernetes.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The limit of concurrent calls to a cluster adapts to the cluster. */
class CallSlotsTest {
  private static final int FIRST = 16;
  private static final int MOST = 32;
  private static final Duration USUAL = Duration.ofMillis(40);
  private static final Duration SLOW = Duration.ofMillis(100);
  private static final CallFailure THROTTLED =
      CallFailure.of(new KubernetesClientException("too many requests", 429, null));
  private static final CallFailure REFUSED =
      CallFailure.of(
          new KubernetesClientException(
              "forbidden", 403, new StatusBuilder().withStatus("Failure").withCode(403).build()));
  private static final CallFailure UNANSWERED = CallFailure.of(new TimeoutException());

  private final CallSlots slots = new CallSlots(MOST);

  /** Writes once per slot. */
  private void round(Duration took) {
    int writes = slots.limit();
    for (int i = 0; i < writes; i++) {
      assertThat(slots.take(Duration.ZERO)).isTrue();
    }
    for (int i = 0; i < writes; i++) {
      slots.written(null, took.toNanos());
    }
  }

  /** A round in which one call too many finds no slot. */
  private void fullRound(Duration took) {
    int writes = slots.limit();
    for (int i = 0; i < writes; i++) {
      assertThat(slots.take(Duration.ZERO)).isTrue();
    }
    assertThat(slots.take(Duration.ZERO)).isFalse();
    for (int i = 0; i < writes; i++) {
      slots.written(null, took.toNanos());
    }
  }

  private void write(@Nullable CallFailure failure) {
    assertThat(slots.take(Duration.ZERO)).isTrue();
    slots.written(failure, USUAL.toNanos());
  }

  @Test
  void limitRisesByOneWhileCallsFindNoSlotAndUpToTheMaximum() {
    fullRound(USUAL);
    assertThat(slots.limit()).isEqualTo(FIRST + 1);
    for (int i = 0; i < MOST; i++) {
      fullRound(USUAL);
    }
    assertThat(slots.limit()).isEqualTo(MOST);
  }

  @Test
  void limitStaysWhileSlotsAreFree() {
    for (int i = 0; i < MOST; i++) {
      round(USUAL);
    }
    assertThat(slots.limit()).isEqualTo(FIRST);
  }

  @Test
  void limitFallsByAnEighthAfterSlowWrites() {
    fullRound(USUAL);
    fullRound(SLOW);
    assertThat(slots.limit()).isEqualTo(14);
  }

  @Test
  void fewMillisecondsAreNeverSlow() {
    fullRound(Duration.ofMillis(1));
    fullRound(Duration.ofMillis(20));
    assertThat(slots.limit()).isEqualTo(FIRST + 2);
  }

  @Test
  void clusterThatRemainsSlowerBecomesUsual() {
    fullRound(USUAL);
    for (int i = 0; i < 100; i++) {
      fullRound(SLOW);
    }
    int low = slots.limit();
    fullRound(SLOW);
    assertThat(slots.limit()).isGreaterThanOrEqualTo(low).isGreaterThan(2);
  }

  @Test
  void throttledCallHalvesTheLimitOnceInARound() {
    write(THROTTLED);
    write(THROTTLED);
    assertThat(slots.limit()).isEqualTo(FIRST / 2);
    round(USUAL);
    write(THROTTLED);
    assertThat(slots.limit()).isEqualTo(FIRST / 4);
  }

  @Test
  void callWithoutAnAnswerHalvesTheLimitAndARefusalDoesNot() {
    write(REFUSED);
    assertThat(slots.limit()).isEqualTo(FIRST);
    assertThat(slots.take(Duration.ZERO)).isTrue();
    slots.read(UNANSWERED);
    assertThat(slots.limit()).isEqualTo(FIRST / 2);
  }

  @Test
  void runningCallsAboveAFallenLimitTakeNoSlotsAway() {
    for (int i = 0; i < FIRST; i++) {
      assertThat(slots.take(Duration.ZERO)).isTrue();
    }
    slots.written(THROTTLED, 0);
    assertThat(slots.taken()).isEqualTo(FIRST - 1);
    assertThat(slots.take(Duration.ZERO)).isFalse();
    for (int i = 1; i < FIRST; i++) {
      slots.read(null);
    }
    assertThat(slots.taken()).isZero();
    for (int i = 0; i < FIRST / 2; i++) {
      assertThat(slots.take(Duration.ZERO)).isTrue();
    }
    assertThat(slots.take(Duration.ZERO)).isFalse();
  }

  @Test
  void limitNeverExceedsASmallMaximumOrFallsToZero() {
    CallSlots one = new CallSlots(1);
    assertThat(one.take(Duration.ZERO)).isTrue();
    one.written(THROTTLED, 0);
    assertThat(one.limit()).isEqualTo(1);
    assertThat(one.take(Duration.ZERO)).isTrue();
    assertThat(one.take(Duration.ZERO)).isFalse();
  }

  @Test
  void callDoesNotOvertakeAnotherThatWaitsForASlot() throws InterruptedException {
    CallSlots one = new CallSlots(1);
    assertThat(one.take(Duration.ZERO)).isTrue();
    Thread waits = Thread.ofPlatform().start(() -> one.take(Duration.ofMinutes(1)));
    while (waits.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    one.read(null);
    assertThat(one.take(Duration.ZERO)).isFalse();
    waits.join();
  }
}
