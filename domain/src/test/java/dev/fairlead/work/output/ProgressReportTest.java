package dev.fairlead.work.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pace of an attempt by its reports. */
class ProgressReportTest {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private static ProgressReport next(
      @Nullable ProgressReport before, @Nullable Long step, @Nullable Long total, long second) {
    Progress progress = new Progress(step, total, Collections.emptySortedMap());
    return ProgressReport.of(before, progress, START.plusSeconds(second));
  }

  private static @Nullable Long left(ProgressReport report) {
    return report
        .end(START, null)
        .map(end -> Duration.between(report.at(), end).toSeconds())
        .orElse(null);
  }

  /**
   * Fails when a restart counts steps of the previous attempt, or a rate is computed from too few
   * steps.
   */
  @Test
  void remainingTimeFollowsFromTheStepsOfTheAttempt() {
    ProgressReport first = next(null, 1000L, 5000L, 600);
    assertThat(left(first)).as("one report").isNull();
    assertThat(left(next(first, 1010L, 5000L, 659))).as("in the first minute").isNull();
    assertThat(left(next(first, 1000L, 5000L, 700))).as("no step").isNull();
    assertThat(left(next(first, 1100L, null, 700))).as("no total").isNull();
    assertThat(left(next(first, 1100L, 5000L, 700))).isEqualTo(3900);
    assertThat(left(next(first, 5000L, 5000L, 700))).isZero();
  }

  /** Fails when the rate is negative, or a report with only metrics drops it. */
  @Test
  void lowerStepRestartsTheRate() {
    ProgressReport later = next(next(null, 100L, 1000L, 0), 300L, 1000L, 100);
    ProgressReport back = next(later, 200L, 1000L, 110);
    assertThat(back.firstStep()).isEqualTo(200L);
    assertThat(left(back)).isNull();
    assertThat(left(next(back, 300L, 1000L, 210))).isEqualTo(700);
    ProgressReport metrics = next(later, null, null, 120);
    assertThat(left(metrics)).as("as before").isEqualTo(330);
    assertThat(left(next(metrics, 400L, 1000L, 150))).isEqualTo(300);
  }

  /**
   * Fails when a job that always reports 99 % moves its expected end, or retains it after a
   * restart.
   */
  @Test
  void onlyAHigherStepMovesThePredictedEnd() {
    ProgressReport report = next(next(null, 0L, 100L, 0), 99L, 100L, 990);
    for (int second = 1000; second < 100_000; second += 1000) {
      report = next(report, 99L, 100L, second);
      assertThat(report.predicted()).isEqualTo(START.plusSeconds(1000));
      report = next(report, 99L, 1000L, second + 500);
      assertThat(report.predicted()).as("another total").isEqualTo(START.plusSeconds(1000));
    }
    assertThat(next(report, 98L, 100L, 100_000).predicted()).isNull();
  }

  /** Fails when a clock that was set back gives a pace that is negative or too fast. */
  @Test
  void backwardClockStepRestartsTheRate() {
    ProgressReport later = next(next(null, 0L, 1000L, 5000), 500L, 1000L, 6000);
    ProgressReport back = next(later, 501L, 1000L, 100);
    assertThat(back.predicted()).isNull();
    assertThat(next(back, 601L, 1000L, 200).predicted()).isEqualTo(START.plusSeconds(599));
  }

  /** Random reports with repeated and lower steps, changed totals, and clock steps. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void predictionObeysItsLawsForAllReports(long seed) {
    Random random = new Random(seed);
    ProgressReport report = null;
    ProgressReport shifted = null;
    long second = 0;
    for (int i = 0; i < 2_000; i++) {
      second += random.nextInt(20) == 0 ? -random.nextInt(5_000) : random.nextInt(300);
      Long step = random.nextInt(10) == 0 ? null : (long) random.nextInt(1 + i / 20);
      Long total = step == null ? null : step + random.nextInt(1_000);
      ProgressReport before = report;
      report = next(before, step, total, second);
      shifted = next(shifted, step, total, second + 86_400);
      Instant end = report.predicted();

      assertThat(shifted.predicted())
          .as("no date counts")
          .isEqualTo(end == null ? null : end.plusSeconds(86_400));
      if (before != null && Objects.equals(before.lastStep(), report.lastStep())) {
        assertThat(end).isIn(before.predicted(), null);
      } else if (end != null) {
        assertThat(end).isAfterOrEqualTo(report.at());
        assertThat(end).isBeforeOrEqualTo(report.at().plus(ProgressReport.LONGEST));
        assertThat(report.firstAt()).isBeforeOrEqualTo(report.at().minusSeconds(60));
      }
    }
  }

  /** Fails when an end is promised after the limit, or the arithmetic overflows. */
  @Test
  void predictedEndIsCappedByTheMaximumRuntime() {
    ProgressReport report = next(next(null, 0L, 100L, 0), 1L, 100L, 100);
    assertThat(report.end(START, Duration.ofHours(1))).contains(START.plusSeconds(3600));
    assertThat(report.end(START, Duration.ofDays(1))).contains(START.plusSeconds(10_000));
    assertThat(report.end(null, Duration.ofHours(1))).contains(START.plusSeconds(10_000));
    ProgressReport slow = next(next(null, 0L, Progress.MOST_STEPS, 0), 1L, Progress.MOST_STEPS, 99);
    assertThat(slow.end(START, null)).isEmpty();
  }
}
