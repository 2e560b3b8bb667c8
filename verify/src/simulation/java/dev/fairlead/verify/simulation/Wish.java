package dev.fairlead.verify.simulation;

import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;

/**
 * A wanted job.
 *
 * @param at since the beginning of the run
 */
record Wish(Duration at, JobSpec spec) {}
