package dev.fairlead.kernel.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private final SteadyClock clock = new SteadyClock();

  /** The last check was an hour ago, and the machine's own clock is right. */
  private boolean believes(int minute, long aheadMillis) {
    return believes(minute, aheadMillis, 0);
  }

  private boolean believes(int minute, long aheadMillis, long hostAheadMillis) {
    long now = minute * MINUTE;
    return believes(now, now + aheadMillis, -HOUR, now + hostAheadMillis);
  }

  private boolean believes(long passed, long database, long look, long host) {
    return clock.believes(
        new ClockStore.Reading(database, look, 0, 0), host, Duration.ofMillis(passed).toNanos());
  }

  /**
   * Fails when a new holder believes a clock that neither the watermark nor its machine confirms.
   */
  @Test
  void clockAheadOfWatermarkAndMachineIsNotTrustedInitially() {
    assertThat(believes(0, 3 * HOUR)).isFalse();
    assertThat(believes(30, 3 * HOUR)).as("however long it lasts").isFalse();
    assertThat(believes(31, 0)).as("the clock is right again").isTrue();
  }

  /** Fails when hours stay open permanently after a service was down for three hours. */
  @Test
  void clockConfirmedByTheMachineIsTrustedWhateverTheAgeOfTheWatermark() {
    assertThat(believes(0, 3 * HOUR, 3 * HOUR)).isTrue();
  }

  /** Fails when one machine with a wrong clock delays the usage at a change of holder. */
  @Test
  void clockConfirmedByTheWatermarkIsTrustedOnAMachineWithAWrongClock() {
    assertThat(believes(0, DAY + MINUTE, DAY, 0)).isTrue();
    assertThat(believes(9 * MINUTE, DAY + 10 * MINUTE, DAY, 0)).isTrue();
  }

  /** Fails when a clock that is a day ahead for a minute is believed. */
  @Test
  void revertedForwardStepIsNeverTrusted() {
    assertThat(believes(0, 0)).isTrue();
    assertThat(believes(1, DAY, DAY)).isFalse();
    assertThat(believes(2, 0)).isTrue();
    assertThat(believes(3, DAY, DAY)).as("a new step").isFalse();
    assertThat(believes(12, DAY, DAY)).isFalse();
  }

  /** Fails when a corrected clock is never trusted again, or a wrong one is trusted eventually. */
  @Test
  void forwardStepConfirmedByTheMachineIsTrustedAfterTenMinutes() {
    assertThat(believes(0, 0)).isTrue();
    assertThat(believes(1, DAY, DAY)).isFalse();
    assertThat(believes(10, DAY, DAY)).isFalse();
    assertThat(believes(11, DAY)).as("the machine says otherwise").isFalse();
    assertThat(believes(12, DAY, DAY)).isTrue();
    assertThat(believes(13, DAY)).isTrue();
  }

  /** Fails when a slow check or a step back delays the closing of hours. */
  @Test
  void smallDifferencesAndBackwardStepsAreAccepted() {
    assertThat(believes(0, 0)).isTrue();
    assertThat(believes(1, 30_000)).isTrue();
    assertThat(believes(2, -DAY)).isTrue();
  }
}
