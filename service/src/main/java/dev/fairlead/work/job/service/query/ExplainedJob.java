package dev.fairlead.work.job.service.query;

import dev.fairlead.work.job.store.QueuePlace;
import org.jspecify.annotations.Nullable;

/** A job with its pending reasons and its position in the queue. */
public record ExplainedJob(JobView view, @Nullable QueuePlace place) {}
