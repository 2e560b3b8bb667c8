package dev.fairlead.work.progress;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that has to report progress.
 *
 * @param timeout after which its silence is a hang
 * @param from when it began to run, or when its silence began to count again
 * @param calledAt time of its last report, null for never
 */
public record WatchedAttempt(
    AttemptId attempt,
    JobId job,
    TenantId tenant,
    ClusterId cluster,
    Duration timeout,
    Instant from,
    @Nullable Instant calledAt) {
  /** Returns the attempt with a silence that begins at that time or later. */
  public WatchedAttempt notBefore(Instant time) {
    return from.isBefore(time)
        ? new WatchedAttempt(attempt, job, tenant, cluster, timeout, time, calledAt)
        : this;
  }

  /** Time since when it has been silent. */
  Instant silentSince() {
    return calledAt == null || calledAt.isBefore(from) ? from : calledAt;
  }
}
