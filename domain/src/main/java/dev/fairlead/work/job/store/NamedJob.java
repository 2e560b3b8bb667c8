package dev.fairlead.work.job.store;

import dev.fairlead.kernel.identity.JobId;

/**
 * A stored job of a project by its name.
 *
 * @param active false when it has ended. Any number of ended jobs may have one name
 */
public record NamedJob(JobId id, String name, boolean active) {}
