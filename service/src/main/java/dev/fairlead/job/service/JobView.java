package dev.fairlead.job.service;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.ExplanationStore;
import dev.fairlead.job.Job;
import org.jspecify.annotations.Nullable;

/**
 * A job as its readers see it.
 *
 * @param attempt the newest attempt, null before the first
 * @param pending why it waits, null when it does not or nothing is known yet
 * @param unseen what cannot be seen of the attempt, null when it can
 */
public record JobView(
    Job job,
    String tenant,
    String project,
    String queue,
    @Nullable Attempt attempt,
    ExplanationStore.@Nullable Stored pending,
    @Nullable Unseen unseen) {}
