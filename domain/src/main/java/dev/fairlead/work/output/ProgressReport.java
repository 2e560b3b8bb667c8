package dev.fairlead.work.output;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last progress report of an attempt.
 *
 * @param at time of the report
 * @param firstStep first step of the current pace. A lower step, or a clock that was set back,
 *     begins another pace. Null before the first report
 * @param firstAt time of the report of {@code firstStep}
 * @param lastStep highest step since then
 * @param predicted end by the mean time of the steps from {@code firstStep} to {@code lastStep},
 *     null if unknown. Only a higher step changes it, so it passes when an attempt reports the same
 *     step forever
 */
public record ProgressReport(
    Progress progress,
    Instant at,
    @Nullable Long firstStep,
    @Nullable Instant firstAt,
    @Nullable Long lastStep,
    @Nullable Instant predicted) {
  /** A shorter time between two steps does not give a pace. */
  static final Duration LEAST_SPAN = Duration.ofMinutes(1);

  /** A later end is not estimated. */
  static final Duration LONGEST = Duration.ofDays(365);

  /**
   * The next report of the attempt.
   *
   * @param before its last report, null if none
   */
  public static ProgressReport of(@Nullable ProgressReport before, Progress progress, Instant now) {
    Long step = progress.step();
    if (step == null) {
      return before == null
          ? new ProgressReport(progress, now, null, null, null, null)
          : new ProgressReport(
              progress, now, before.firstStep, before.firstAt, before.lastStep, before.predicted);
    }
    if (before == null || before.goesBack(step, now)) {
      return new ProgressReport(progress, now, step, now, step, null);
    }
    boolean same = step.equals(before.lastStep);
    return new ProgressReport(
        progress,
        now,
        before.firstStep,
        before.firstAt,
        step,
        same ? before.predicted : before.predicted(step, progress.total(), now));
  }

  /** Returns whether another pace begins with the step. */
  private boolean goesBack(long step, Instant now) {
    return firstStep == null
        || firstAt == null
        || step < firstStep
        || lastStep != null && step < lastStep
        || now.isBefore(at);
  }

  private @Nullable Instant predicted(long step, @Nullable Long total, Instant now) {
    if (total == null || firstStep == null || firstAt == null || step == firstStep) {
      return null;
    }
    Duration span = Duration.between(firstAt, now);
    double millis = (double) span.toMillis() / (step - firstStep) * (total - step);
    return span.compareTo(LEAST_SPAN) < 0 || millis > LONGEST.toMillis()
        ? null
        : now.plusMillis(Math.round(millis));
  }

  /**
   * Estimates the end of the attempt by its last higher step, at most its end by {@code
   * maxRuntime}. The result is empty without a total, within the first minute of reports, and if
   * the last step is more than a year away.
   *
   * @param startedAt start of the attempt, null if it has not started
   * @param maxRuntime maximum run time of the attempt, null if unlimited
   */
  public Optional<Instant> end(@Nullable Instant startedAt, @Nullable Duration maxRuntime) {
    Instant latest =
        startedAt == null || maxRuntime == null ? Instant.MAX : startedAt.plus(maxRuntime);
    return Optional.ofNullable(predicted).map(end -> end.isAfter(latest) ? latest : end);
  }
}
