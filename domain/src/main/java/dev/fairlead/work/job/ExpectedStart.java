package dev.fairlead.work.job;

import java.time.Instant;

/**
 * Likely start of a waiting job, learned from run times and waits of jobs.
 *
 * @param p50 time by which half of such jobs have started
 * @param p90 time by which nine tenths have started
 * @param runs number of ended runs from which run times are learned
 * @param starts number of starts of waiting jobs from which the error of foreseen starts is learned
 * @param level narrowest group with enough known starts
 */
public record ExpectedStart(
    Instant p50, Instant p90, int runs, int starts, RunGroup.Level level, Instant computedAt) {}
