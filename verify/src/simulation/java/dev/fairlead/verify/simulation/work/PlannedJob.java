package dev.fairlead.verify.simulation.work;

import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;

/**
 * A wanted job.
 *
 * @param at since the beginning of the run
 */
public record PlannedJob(Duration at, JobSpec spec) {}
