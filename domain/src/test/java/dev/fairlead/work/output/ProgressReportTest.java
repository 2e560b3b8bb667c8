package dev.fairlead.work.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

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

  /** Fails when a restart counts the steps of the attempt before it, or too little gives a pace. */
  @Test
  void theRemainingTimeFollowsFromTheStepsThatTheAttemptReported() {
    ProgressReport first = next(null, 1000L, 5000L, 600);
    assertThat(left(first)).as("one report").isNull();
    assertThat(left(next(first, 1010L, 5000L, 659))).as("in the first minute").isNull();
    assertThat(left(next(first, 1000L, 5000L, 700))).as("no step").isNull();
    assertThat(left(next(first, 1100L, null, 700))).as("no total").isNull();
    assertThat(left(next(first, 1100L, 5000L, 700))).isEqualTo(3900);
    assertThat(left(next(first, 5000L, 5000L, 700))).isZero();
  }

  /** Fails when the pace is negative, or is lost by a report of metrics alone. */
  @Test
  void aStepThatGoesBackBeginsAnotherPace() {
    ProgressReport later = next(next(null, 100L, 1000L, 0), 300L, 1000L, 100);
    ProgressReport back = next(later, 200L, 1000L, 110);
    assertThat(back.firstStep()).isEqualTo(200L);
    assertThat(left(back)).isNull();
    assertThat(left(next(back, 300L, 1000L, 210))).isEqualTo(700);
    ProgressReport metrics = next(later, null, null, 120);
    assertThat(left(metrics)).isNull();
    assertThat(left(next(metrics, 400L, 1000L, 150))).isEqualTo(300);
  }

  /** Fails when an end is promised after the limit, or the arithmetic overflows. */
  @Test
  void anEndIsAtMostThatOfTheLongestRunTime() {
    ProgressReport report = next(next(null, 0L, 100L, 0), 1L, 100L, 100);
    assertThat(report.end(START, Duration.ofHours(1))).contains(START.plusSeconds(3600));
    assertThat(report.end(START, Duration.ofDays(1))).contains(START.plusSeconds(10_000));
    assertThat(report.end(null, Duration.ofHours(1))).contains(START.plusSeconds(10_000));
    ProgressReport slow = next(next(null, 0L, Progress.MOST_STEPS, 0), 1L, Progress.MOST_STEPS, 99);
    assertThat(slow.end(START, null)).isEmpty();
  }
}
