package dev.fairlead.work.job.web.view;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.output.ProgressReport;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The last progress report of a running attempt.
 *
 * @param step number of completed steps, null if not reported
 * @param total number of all steps, null if unknown
 * @param metrics numbers of the program by name
 * @param reportedAt time of the report
 * @param expectedEnd time of the last step at the mean pace of the reported steps, and at most the
 *     end by maxRuntime. Null if no total was reported, and in the first minute of reports
 */
public record ProgressReportResponse(
    @Nullable Long step,
    @Nullable Long total,
    SortedMap<String, Double> metrics,
    Instant reportedAt,
    @Nullable Instant expectedEnd) {
  /**
   * @param maxRuntime of the job, null if unlimited
   */
  public static @Nullable ProgressReportResponse of(
      @Nullable ProgressReport report, @Nullable Attempt attempt, @Nullable Duration maxRuntime) {
    if (report == null || attempt == null) {
      return null;
    }
    Progress progress = report.progress();
    return new ProgressReportResponse(
        progress.step(),
        progress.total(),
        progress.metrics(),
        report.at(),
        report.end(attempt.startedAt(), maxRuntime).orElse(null));
  }
}
