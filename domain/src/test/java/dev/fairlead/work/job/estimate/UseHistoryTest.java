package dev.fairlead.work.job.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fairlead.fleet.quota.PastUse;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Usage of members that finished before the others. */
class UseHistoryTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant HALF = START.plus(Duration.ofHours(12));
  private static final Instant END = START.plus(DAY);

  /** Fails when a finished member is not counted, or is counted after its release. */
  @Test
  void releasedMemberCountsUntilItsReleaseAndDecaysFromThen() {
    UseHistory.Span released = new UseHistory.Span(8000, START, HALF);

    double atRelease = PastUse.milliSeconds(8000, START, HALF, DAY);
    assertThat(released.milliSeconds(HALF, DAY)).isEqualTo(Math.round(atRelease));
    assertThat((double) released.milliSeconds(END, DAY))
        .isCloseTo(atRelease * Math.sqrt(0.5), within(2.0));
  }

  /** Fails when the use of a live attempt falls at the release of a member. */
  @Test
  void averageOfALiveAttemptIsUnchangedByARelease() {
    UseHistory.Span holds = new UseHistory.Span(8000, START, null);
    UseHistory.Span released = new UseHistory.Span(8000, START, HALF);

    assertThat(released.averageMilli(DAY, HALF)).isEqualTo(holds.averageMilli(DAY, HALF));
    assertThat(released.averageMilli(DAY, END)).isLessThan(holds.averageMilli(DAY, END));
  }
}
