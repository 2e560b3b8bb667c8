package dev.fairlead.work.job.service;

import dev.fairlead.work.job.QueuePlace;
import org.jspecify.annotations.Nullable;

/** A job, why it waits and where it stands. */
public record ExplainedJob(JobView view, @Nullable QueuePlace place) {}
