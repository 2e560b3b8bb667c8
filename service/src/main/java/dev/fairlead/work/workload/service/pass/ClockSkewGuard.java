package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.judgement.UnreachableMembers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of a supervisor's decisions. Time-outs are stored instants of the database's clock. A
 * step forward of that clock is detected by this process's monotonic clock. It does not count for
 * attempts that began before it, nor for requests that were stored before it, so a time-out may be
 * late but never early. Evidence of death uses only the monotonic clock.
 *
 * <p>Not thread-safe.
 */
public final class ClockSkewGuard {
  private static final Logger LOG = LoggerFactory.getLogger(ClockSkewGuard.class);
  private static final Duration TOLERANCE = Duration.ofSeconds(5);
  private static final int MOST_STEPS = 100;
  private final MonotonicClock clock;
  private final Deque<Step> forward = new ArrayDeque<>();
  private final Map<AttemptId, Long> runningSince = new TreeMap<>();
  private @Nullable Sample last;

  public ClockSkewGuard(MonotonicClock clock) {
    this.clock = clock;
  }

  private record Sample(Instant database, long nanos) {}

  /**
   * @param after the latest time that the clock showed before it
   */
  private record Step(Instant after, Duration by) {}

  /**
   * One read of the database's clock.
   *
   * @param now by the database's clock
   * @param stepped whether the clock was set since the previous read
   */
  public record Seen(Instant now, boolean stepped) {}

  public Seen look(Supplier<Instant> database) {
    long asked = clock.nanos();
    Instant now = database.get();
    long answered = clock.nanos();
    if (answered - asked > TOLERANCE.toNanos()) {
      return new Seen(now, false); // this process was paused since, so nothing is known
    }
    Sample before = last;
    last = new Sample(now, answered);
    if (before == null) {
      return new Seen(now, false);
    }
    Duration by = Duration.between(before.database(), now).minusNanos(answered - before.nanos());
    if (by.abs().compareTo(TOLERANCE) <= 0) {
      return new Seen(now, false);
    }
    LOG.warn("the database's clock stepped by {}", by);
    if (by.isPositive()) {
      forward.addLast(new Step(now.minus(by), by));
      if (forward.size() > MOST_STEPS) {
        forward.removeFirst();
      }
    }
    return new Seen(now, true);
  }

  /** The current time for comparison with stored times of this attempt. */
  Instant of(Attempt attempt, Instant now) {
    CheckpointRequest request = attempt.awaitedCheckpoint();
    Instant since = request == null ? attempt.createdAt() : request.asked();
    Instant judged = now;
    for (Step step : forward) {
      if (!since.isAfter(step.after())) {
        judged = judged.minus(step.by());
      }
    }
    return judged;
  }

  /**
   * Returns whether the deadline that the attempt's cluster enforces has passed since this process
   * first observed that all its members ran.
   */
  boolean certainlyOver(Attempt attempt, Job job) {
    Duration end = UnreachableMembers.givenUpAfter(job);
    if (end == null || attempt.startedAt() == null) {
      return false;
    }
    long now = clock.nanos();
    return now - runningSince.computeIfAbsent(attempt.id(), id -> now) >= end.toNanos();
  }

  /** Nanoseconds of the monotonic clock. */
  public long nanos() {
    return clock.nanos();
  }

  void forget(AttemptId attempt) {
    runningSince.remove(attempt);
  }
}
