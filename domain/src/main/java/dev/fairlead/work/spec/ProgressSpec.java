package dev.fairlead.work.spec;

import java.time.Duration;

/**
 * How often a job says that it gets on.
 *
 * @param timeout an attempt that runs and did not say so for this long hangs; 1 minute to 24 hours
 */
public record ProgressSpec(Duration timeout) {}
