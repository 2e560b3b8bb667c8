package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.HeldUp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Attempts that have ended and cannot be cleared away: an object of theirs stays, or their cluster
 * refuses it. What holds one up is told when it has done so for {@link #LIMIT}, and each {@link
 * #AGAIN} from then on: events are removed after some days, and what stays is to be found.
 */
final class NotCleared {
  /** So long it may be a hitch. */
  static final Duration LIMIT = Duration.ofMinutes(5);

  /** Less than what the newest event of an attempt is looked for, and than events are kept. */
  static final Duration AGAIN = Duration.ofDays(1);

  private final Map<AttemptId, Held> held = new TreeMap<>();

  /**
   * @param told when it was told last, null when it never was
   */
  private record Held(Instant since, String why, @Nullable Instant told) {
    boolean isDue(Instant now) {
      return !now.isBefore(told == null ? since.plus(LIMIT) : told.plus(AGAIN));
    }
  }

  /** What is stored of them already: it is no hitch, and is told when a day has passed. */
  void recall(List<HeldUp> stored) {
    stored.forEach(it -> held.putIfAbsent(it.attempt(), new Held(it.told(), it.why(), it.told())));
  }

  /** It could not be cleared away now. */
  void heldUp(AttemptId id, String why, Instant now) {
    held.merge(
        id,
        new Held(now, why, null),
        (before, latest) -> new Held(before.since(), why, before.told()));
  }

  /** It is cleared away. */
  void forget(AttemptId id) {
    held.remove(id);
  }

  /** The cluster is looked after elsewhere. */
  void forget() {
    held.clear();
  }

  /** Whether it was held up for so long that it is no hitch. */
  boolean stuck(AttemptId id, Instant now) {
    Held it = held.get(id);
    return it != null && (it.told() != null || it.isDue(now));
  }

  /** Those held up for so long that it is to be told, each with why. */
  Map<AttemptId, String> untold(Instant now) {
    Map<AttemptId, String> untold = new TreeMap<>();
    held.forEach((id, it) -> {
      if (it.isDue(now)) {
        String begin = it.told() == null ? "for " + LIMIT.toMinutes() + " minutes" : "still";
        untold.put(id, begin + " it cannot be cleared away: " + it.why());
      }
    });
    return untold;
  }

  /** It is stored. */
  void told(AttemptId id, Instant now) {
    held.computeIfPresent(id, (same, it) -> new Held(it.since(), it.why(), now));
  }
}
