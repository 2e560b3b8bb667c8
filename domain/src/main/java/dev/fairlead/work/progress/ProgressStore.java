package dev.fairlead.work.progress;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.output.ProgressReports;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;

/** Attempts that must report progress, stored separately from their rows. */
public interface ProgressStore extends ProgressReports {
  /** An attempt that calls more often than this is stored no sooner again. */
  Duration CALLS_EVERY = Duration.ofSeconds(5);

  /**
   * Begins to watch the attempts. Skips attempts on clusters without a callback address, and does
   * not change attempts that are already watched.
   */
  void begin(Collection<WatchedAttempt> attempts);

  /**
   * Stores a call of the attempt. A call within {@link #CALLS_EVERY} of the last one changes
   * nothing.
   *
   * @param progress numbers of the call. Without numbers the last report does not change
   * @return whether it is watched
   */
  boolean called(TenantId tenant, AttemptId attempt, Progress progress, Instant now);

  /** Attempts that are due by that time, the longest due first. */
  List<WatchedAttempt> due(Instant now, int most);

  /**
   * Predicted ends of these attempts, without regard to their maximum run times. Attempts without a
   * prediction are missing. The store retains an ended attempt until it is next due.
   */
  SortedMap<AttemptId, Instant> predictedEnds(Collection<AttemptId> attempts);

  /**
   * Stores that the attempt is due again at that time.
   *
   * @param from time from which its silence counts
   */
  void look(AttemptId attempt, Instant from, Instant at);

  /** The silence of watched attempts counts from that time at the earliest. */
  void countFrom(Collection<AttemptId> attempts, Instant from);

  /**
   * Stops watching the attempt, unless it has called since it was read.
   *
   * @param seen as {@link #due} had it
   * @return whether it had not called. Otherwise it does not change
   */
  boolean remove(WatchedAttempt seen);
}
