package dev.fairlead.usage;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final long DAY = Duration.ofDays(1).toMillis();
  private final SteadyClock clock = new SteadyClock();

  private boolean believes(int minute, long aheadMillis) {
    Duration passed = Duration.ofMinutes(minute);
    return clock.believes(passed.toMillis() + aheadMillis, passed.toNanos());
  }

  /** Fails when a clock that is a day ahead for a minute is believed. */
  @Test
  void aStepForwardThatIsTakenBackIsNeverBelieved() {
    assertThat(believes(0, 0)).isTrue();
    assertThat(believes(1, DAY)).isFalse();
    assertThat(believes(2, 0)).isTrue();
    assertThat(believes(3, DAY)).as("a new step").isFalse();
    assertThat(believes(12, DAY)).isFalse();
  }

  /** Fails when a clock that was put right is never believed again. */
  @Test
  void aStepForwardThatStaysIsBelievedAfterTenMinutes() {
    assertThat(believes(0, 0)).isTrue();
    assertThat(believes(1, DAY)).isFalse();
    assertThat(believes(10, DAY)).isFalse();
    assertThat(believes(11, DAY)).isTrue();
    assertThat(believes(12, DAY)).isTrue();
  }

  /** Fails when a slow look or a step back holds up the books. */
  @Test
  void smallDifferencesAndStepsBackAreBelieved() {
    assertThat(believes(0, 0)).isTrue();
    assertThat(believes(1, 30_000)).isTrue();
    assertThat(believes(2, -DAY)).isTrue();
  }
}
