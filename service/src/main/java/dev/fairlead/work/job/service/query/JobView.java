package dev.fairlead.work.job.service.query;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.OpeningTiers;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.output.ProgressReport;
import dev.fairlead.work.spec.RayPoolJob;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job as the API returns it.
 *
 * @param attempt the newest attempt, null before the first
 * @param pending why it waits, null when it does not wait or no reason is known yet
 * @param report last progress report of the attempt while it runs, null if none
 * @param unreachable the missing observations of the attempt, null when it is visible
 */
@RecordBuilder
public record JobView(
    Job job,
    String tenant,
    String project,
    String queue,
    @Nullable Attempt attempt,
    ExplanationStore.@Nullable Stored pending,
    @Nullable ProgressReport report,
    @Nullable Unreachable unreachable) {
  public JobView {
    pending = ofThisWait(job, pending);
  }

  /** Removes a start that was expected in an earlier wait. */
  private static ExplanationStore.@Nullable Stored ofThisWait(
      Job job, ExplanationStore.@Nullable Stored stored) {
    ExpectedStart expected = stored == null ? null : stored.expected();
    boolean stale =
        expected != null
            && job.state() == JobState.QUEUED
            && job.run().changedAt().isAfter(expected.computedAt());
    return stored == null || !stale
        ? stored
        : new ExplanationStore.Stored(
            stored.classKey(), stored.explanation(), stored.since(), null);
  }

  /** Adds the times at which tiers open to the job. */
  JobView told(Instant now) {
    if (pending == null) {
      return this;
    }
    return because(pending, OpeningTiers.told(pending.explanation(), job, now));
  }

  /** Returns a driver that has no Ray cluster with the reason of its pool. */
  JobView told(RayPools pools) {
    return pending == null || !RayPoolJob.unplaced(job.spec())
        ? this
        : pools
            .waits(job)
            .map(why -> because(pending, pending.explanation().instead(why)))
            .orElse(this);
  }

  private JobView because(ExplanationStore.Stored stored, Explanation why) {
    ExplanationStore.Stored own =
        new ExplanationStore.Stored(stored.classKey(), why, stored.since(), stored.expected());
    return JobViewBuilder.builder(this).pending(own).build();
  }
}
