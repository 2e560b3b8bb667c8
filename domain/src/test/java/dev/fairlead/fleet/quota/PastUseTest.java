package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The arithmetic of a half-life. */
class PastUseTest {
  private static final Instant END = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Offset<Long> ROUNDED = within(2L);

  private static PastUse of(long gpuMilli, Duration time) {
    QuotaNodeId queue = new QuotaNodeId(new UUID(1, 1));
    long use = PastUse.milliSeconds(gpuMilli, END.minus(time), END, DAY);
    return new PastUse(queue, queue, "ada", use, END);
  }

  @Test
  void constantUseAveragesToItself() {
    assertThat(of(8000, Duration.ofDays(100)).averageMilli(DAY, END)).isCloseTo(8000L, ROUNDED);
  }

  @Test
  void useIsHalvedByAHalfLifeAndQuarteredByTwo() {
    PastUse use = of(8000, Duration.ofDays(100));

    assertThat(use.averageMilli(DAY, END.plus(DAY))).isCloseTo(4000L, ROUNDED);
    assertThat(use.averageMilli(DAY, END.plus(DAY).plus(DAY))).isCloseTo(2000L, ROUNDED);
  }

  @Test
  void useForOneHalfLifeCountsHalf() {
    assertThat(of(8000, DAY).averageMilli(DAY, END)).isCloseTo(4000L, ROUNDED);
    assertThat(PastUse.averageMilli(8000, END.minus(DAY), DAY, END)).isCloseTo(4000L, ROUNDED);
  }

  @Test
  void pastUseIsTheSameBeforeAndAfterTheEndOfAJob() {
    Duration time = Duration.ofHours(7);

    assertThat(of(8000, time).averageMilli(DAY, END))
        .isCloseTo(PastUse.averageMilli(8000, END.minus(time), DAY, END), ROUNDED);
  }

  @Test
  void backwardClockStepRestoresNoUse() {
    PastUse use = of(8000, DAY);

    assertThat(use.averageMilli(DAY, END.minus(DAY))).isEqualTo(use.averageMilli(DAY, END));
    assertThat(PastUse.averageMilli(8000, END.plus(DAY), DAY, END)).isZero();
  }
}
