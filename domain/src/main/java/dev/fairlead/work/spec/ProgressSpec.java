package dev.fairlead.work.spec;

import java.time.Duration;

/**
 * Monitoring of a job's progress reports.
 *
 * @param timeout longest time between two reports, after which a running attempt counts as hung. 1
 *     minute to 24 hours
 */
public record ProgressSpec(Duration timeout) {}
