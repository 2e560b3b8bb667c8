package dev.fairlead.work.job;

import java.time.Duration;

/**
 * How long a run is likely to take, learned from how long jobs ran that ended by themselves.
 *
 * @param p50 half of such runs are over after so long; no longer than the job may run
 * @param p90 nine tenths of them are
 * @param runs from which that is learned
 * @param level the narrowest group of which enough runs are known
 */
public record ExpectedRun(Duration p50, Duration p90, int runs, RunGroup.Level level) {}
