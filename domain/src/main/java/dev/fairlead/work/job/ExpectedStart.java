package dev.fairlead.work.job;

import java.time.Instant;

/**
 * When a waiting job is likely to start, learned from how long jobs run and wait.
 *
 * @param p50 half of such jobs have started by then
 * @param p90 nine tenths of them have
 * @param runs ended runs from which run times are learned
 * @param starts of jobs that had waited, from which it is learned how far what is foreseen holds
 * @param level the narrowest group of which enough starts are known
 */
public record ExpectedStart(
    Instant p50, Instant p90, int runs, int starts, RunGroup.Level level, Instant computedAt) {}
