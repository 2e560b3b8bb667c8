package dev.fairlead.work.job.service;

import dev.fairlead.work.job.QueuePlace;
import org.jspecify.annotations.Nullable;

/** A job with its pending reasons and its position in the queue. */
public record ExplainedJob(JobView view, @Nullable QueuePlace place) {}
