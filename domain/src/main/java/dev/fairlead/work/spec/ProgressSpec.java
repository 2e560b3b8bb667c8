package dev.fairlead.work.spec;

import java.time.Duration;

/**
 * Required progress reports of a job.
 *
 * @param timeout an attempt that runs and did not say so for this long hangs; 1 minute to 24 hours
 */
public record ProgressSpec(Duration timeout) {}
