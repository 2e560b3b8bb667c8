package dev.fairlead.work.job.estimate;

import java.time.Duration;

/**
 * Likely duration of a run, learned from the run times of jobs that ended without an order.
 *
 * @param p50 duration that half of such runs do not exceed. At most the job's own limit
 * @param p90 duration that nine tenths of the runs do not exceed,
 * @param runs number of runs behind the estimate
 * @param level the narrowest group with enough known runs
 */
public record ExpectedRun(Duration p50, Duration p90, int runs, RunGroup.Level level) {}
