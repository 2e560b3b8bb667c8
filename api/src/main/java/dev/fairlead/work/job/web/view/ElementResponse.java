package dev.fairlead.work.job.web.view;

import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An element of an array job that has started at least once. */
public record ElementResponse(
    int index,
    JobState state,
    Instant stateChangedAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    int attempt,
    @Nullable Failure failure) {
  public static ElementResponse of(JobElement element) {
    return new ElementResponse(
        element.index(),
        element.run().state(),
        element.run().changedAt(),
        element.run().startedAt(),
        element.run().endedAt(),
        element.run().attempts(),
        element.run().failure());
  }
}
