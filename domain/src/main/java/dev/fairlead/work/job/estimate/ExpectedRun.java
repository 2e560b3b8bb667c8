package dev.fairlead.work.job.estimate;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Likely run time, at most {@code maxRuntime}, learned from jobs that ended on their own. It has a
 * resolution of seconds.
 *
 * @param p50 time within which half of such runs ended
 * @param p90 time within which 90 percent of such runs ended
 * @param runs number of earlier runs behind the prediction
 * @param level narrowest group with enough known runs
 */
public record ExpectedRun(Duration p50, Duration p90, int runs, RunGroup.Level level) {
  public ExpectedRun {
    p50 = p50.truncatedTo(ChronoUnit.SECONDS);
    p90 = p90.truncatedTo(ChronoUnit.SECONDS);
  }
}
