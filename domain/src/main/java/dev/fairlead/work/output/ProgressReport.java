package dev.fairlead.work.output;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last progress report of an attempt.
 *
 * @param at time of the report
 * @param firstStep step from which the pace counts: the first step that the attempt reported, or
 *     the last one that was lower than the step before it. Null before the first step
 * @param firstAt time of the report of {@code firstStep}
 */
public record ProgressReport(
    Progress progress, Instant at, @Nullable Long firstStep, @Nullable Instant firstAt) {
  /** A shorter time between two steps does not give a pace. */
  static final Duration LEAST_SPAN = Duration.ofMinutes(1);

  /** A later end is not estimated. */
  static final Duration LONGEST = Duration.ofDays(365);

  /**
   * The next report of the attempt.
   *
   * @param before its last report, null for none
   */
  public static ProgressReport of(@Nullable ProgressReport before, Progress progress, Instant now) {
    Long step = progress.step();
    if (before == null || before.firstStep() == null) {
      return new ProgressReport(progress, now, step, step == null ? null : now);
    }
    Long last = before.progress().step();
    boolean back = step != null && (step < before.firstStep() || last != null && step < last);
    return back
        ? new ProgressReport(progress, now, step, now)
        : new ProgressReport(progress, now, before.firstStep(), before.firstAt());
  }

  /**
   * Estimates the end of the attempt by the mean time of the steps between the first and the last
   * report, at most its end by {@code maxRuntime}. Empty without a total, within the first minute
   * of reports, and if the last step is more than a year away.
   *
   * @param startedAt start of the attempt, null before it
   * @param maxRuntime longest run time of the attempt, null for unlimited
   */
  public Optional<Instant> end(@Nullable Instant startedAt, @Nullable Duration maxRuntime) {
    Instant latest =
        startedAt == null || maxRuntime == null ? Instant.MAX : startedAt.plus(maxRuntime);
    return lastStep().map(end -> end.isAfter(latest) ? latest : end);
  }

  private Optional<Instant> lastStep() {
    Long step = progress.step();
    Long total = progress.total();
    if (step == null || total == null || firstStep == null || firstAt == null) {
      return Optional.empty();
    }
    Duration span = Duration.between(firstAt, at);
    if (step <= firstStep || span.compareTo(LEAST_SPAN) < 0) {
      return Optional.empty();
    }
    double millis = (double) span.toMillis() / (step - firstStep) * (total - step);
    return millis > LONGEST.toMillis()
        ? Optional.empty()
        : Optional.of(at.plusMillis(Math.round(millis)));
  }
}
