package dev.fairlead.work.job;

import java.time.Instant;

/**
 * When a waiting job is likely to start, learned from how long jobs run and wait.
 *
 * @param p50 start time that half of such jobs meet
 * @param p90 nine tenths of them have
 * @param runs number of ended runs behind the run times
 * @param starts number of started jobs from which the accuracy of estimates is learned
 * @param level the narrowest group with enough known starts
 */
public record ExpectedStart(
    Instant p50, Instant p90, int runs, int starts, RunGroup.Level level, Instant computedAt) {}
