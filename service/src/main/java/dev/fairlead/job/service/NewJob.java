package dev.fairlead.job.service;

import dev.fairlead.job.JobSpec;

/**
 * A job to be submitted.
 *
 * @param spec complete but for an empty {@code queue} (the project's default) and an empty {@code
 *     name} (from the id)
 */
public record NewJob(JobSpec spec) {}
