package dev.fairlead.front.service;

import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.loop.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Selects a bounded number of ModelServices for a pass, alternating between namespaces, so that a
 * namespace with many ModelServices does not delay the others. After a failure, a ModelService
 * pauses until it changes or its next try. Not thread-safe.
 */
final class FrontServiceTurns {
  /** Maximum number of ModelServices of a pass with a step. */
  private static final int MOST = 200;

  private static final Duration FIRST_RETRY = Duration.ofSeconds(4);
  private static final Duration LAST_RETRY = Duration.ofMinutes(5);

  private final MonotonicClock clock;
  private final SortedMap<String, Long> taken = new TreeMap<>();
  private final SortedMap<String, Pause> pauses = new TreeMap<>();
  private long takes;

  /** A failure in that version of the ModelService, and the time of the next try. */
  private record Pause(String version, long atNanos, Duration length) {}

  /**
   * A ModelService with a step.
   *
   * @param turn position among the ModelServices of its namespace, from 1
   */
  private record Candidate<T>(T due, SeenJob seen, int turn) {}

  FrontServiceTurns(MonotonicClock clock) {
    this.clock = clock;
  }

  void retain(Collection<String> uids) {
    taken.keySet().retainAll(uids);
    pauses.keySet().retainAll(uids);
  }

  /** Deletions of a namespace come first, then the ModelServices that have waited longest. */
  <T> List<T> take(List<T> due, Function<T, SeenJob> of) {
    Comparator<SeenJob> order =
        Comparator.<SeenJob, Boolean>comparing(seen -> !seen.deleting())
            .thenComparingLong(this::last)
            .thenComparing(SeenJob::uid);
    SortedMap<String, Integer> turns = new TreeMap<>();
    List<Candidate<T>> candidates = new ArrayList<>();
    due.stream()
        .filter(one -> !pauses(of.apply(one)))
        .sorted(Comparator.comparing(of, order))
        .forEach(one -> {
          SeenJob seen = of.apply(one);
          int turn = turns.merge(seen.namespace(), 1, Integer::sum);
          candidates.add(new Candidate<>(one, seen, turn));
        });
    List<Candidate<T>> next =
        candidates.stream()
            .sorted(
                Comparator.<Candidate<T>>comparingInt(Candidate::turn)
                    .thenComparing(Candidate::seen, order))
            .limit(MOST)
            .toList();
    takes++;
    next.forEach(one -> taken.put(one.seen().uid(), takes));
    return next.stream().map(Candidate::due).toList();
  }

  private long last(SeenJob seen) {
    return taken.getOrDefault(seen.uid(), 0L);
  }

  private boolean pauses(SeenJob seen) {
    Pause pause = pauses.get(seen.uid());
    return pause != null
        && pause.version().equals(seen.version())
        && pause.atNanos() - clock.nanos() > 0;
  }

  /** The step of the ModelService is done. */
  void done(String uid) {
    pauses.remove(uid);
  }

  /** The step of the ModelService failed. */
  void failed(SeenJob seen) {
    Pause before = pauses.get(seen.uid());
    Duration length = before == null ? FIRST_RETRY : longer(before.length());
    pauses.put(seen.uid(), new Pause(seen.version(), clock.nanos() + length.toNanos(), length));
  }

  private static Duration longer(Duration pause) {
    Duration next = pause.multipliedBy(2);
    return next.compareTo(LAST_RETRY) < 0 ? next : LAST_RETRY;
  }
}
