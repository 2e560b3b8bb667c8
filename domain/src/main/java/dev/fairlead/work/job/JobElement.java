package dev.fairlead.work.job;

import dev.fairlead.kernel.identity.JobId;

/**
 * An element of an array job that has started for the first time, or has ended because of its
 * dependency.
 */
public record JobElement(JobId job, int index, JobStatus run) {}
