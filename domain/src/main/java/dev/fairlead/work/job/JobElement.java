package dev.fairlead.work.job;

import dev.fairlead.kernel.identity.JobId;

/**
 * One element of an array job, once it has started for the first time, or has ended by its own
 * dependency.
 */
public record JobElement(JobId job, int index, JobStatus run) {}
