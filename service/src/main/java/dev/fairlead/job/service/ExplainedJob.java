package dev.fairlead.job.service;

import dev.fairlead.job.QueuePlace;
import org.jspecify.annotations.Nullable;

/** A job, why it waits and where it stands. */
public record ExplainedJob(JobView view, @Nullable QueuePlace place) {}
