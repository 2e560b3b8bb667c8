package dev.fairlead.work.job.estimate;

import java.time.Instant;

/**
 * Likely start of a waiting job, learned from run times and waits of jobs.
 *
 * @param p50 median start time of such jobs
 * @param p90 90th percentile of the start time of such jobs
 * @param runs number of ended runs in the sample of run times
 * @param starts number of starts of waiting jobs in the sample of prediction errors
 * @param level narrowest group with enough known starts
 */
public record ExpectedStart(
    Instant p50, Instant p90, int runs, int starts, RunGroup.Level level, Instant computedAt) {}
