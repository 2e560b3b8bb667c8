package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.BlockedCleanup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Ended attempts that cannot be cleaned up because one of their objects remains or their cluster
 * refuses its removal. The cause is stored after {@link #LIMIT}, and again after each {@link
 * #AGAIN}, because events are removed after a few days and the cause must remain visible.
 */
final class NotCleared {
  /** A shorter failure may be transient. */
  static final Duration LIMIT = Duration.ofMinutes(5);

  /**
   * Shorter than the search for the newest event of an attempt, and than the retention of events.
   */
  static final Duration AGAIN = Duration.ofDays(1);

  private final Map<AttemptId, Held> held = new TreeMap<>();

  /**
   * @param told when it was last stored, null for never
   */
  private record Held(Instant since, String why, @Nullable Instant told) {
    boolean isDue(Instant now) {
      return !now.isBefore(told == null ? since.plus(LIMIT) : told.plus(AGAIN));
    }
  }

  /** Restores the stored causes: they are not transient, and are stored again after a day. */
  void recall(List<BlockedCleanup> stored) {
    stored.forEach(it -> held.putIfAbsent(it.attempt(), new Held(it.told(), it.why(), it.told())));
  }

  /** The attempt could not be cleaned up now. */
  void heldUp(AttemptId id, String why, Instant now) {
    held.merge(
        id,
        new Held(now, why, null),
        (before, latest) -> new Held(before.since(), why, before.told()));
  }

  /** The attempt is cleared away. */
  void forget(AttemptId id) {
    held.remove(id);
  }

  /** Called when another process supervises the cluster. */
  void forget() {
    held.clear();
  }

  /** Returns whether the attempt's cleanup has failed for longer than {@link #LIMIT}. */
  boolean stuck(AttemptId id, Instant now) {
    Held it = held.get(id);
    return it != null && (it.told() != null || it.isDue(now));
  }

  /** Returns whether a cause is stored. */
  boolean reported(AttemptId id) {
    Held it = held.get(id);
    return it != null && it.told() != null;
  }

  /** The causes to store now, by attempt. */
  Map<AttemptId, String> untold(Instant now) {
    Map<AttemptId, String> untold = new TreeMap<>();
    held.forEach((id, it) -> {
      if (it.isDue(now)) {
        String begin = it.told() == null ? "for " + LIMIT.toMinutes() + " minutes" : "still";
        untold.put(id, begin + " it cannot be cleaned up: " + it.why());
      }
    });
    return untold;
  }

  /** The cause is stored. */
  void told(AttemptId id, Instant now) {
    held.computeIfPresent(id, (same, it) -> new Held(it.since(), it.why(), now));
  }
}
