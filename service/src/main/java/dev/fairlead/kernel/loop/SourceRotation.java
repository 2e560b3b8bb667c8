package dev.fairlead.kernel.loop;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The schedule of sources that a loop reads one by one, each once a minute. A source without a
 * response twice in a row is skipped for five minutes, so that it rarely delays the others.
 */
public final class SourceRotation<K extends Comparable<? super K>> {
  private static final Duration EVERY = Duration.ofMinutes(1);
  private static final Duration AFTER_SILENCE = Duration.ofMinutes(5);

  private final MonotonicClock clock;
  private final SortedMap<K, Long> dueNanos = new TreeMap<>();
  private final SortedSet<K> silent = new TreeSet<>();

  public SourceRotation(MonotonicClock clock) {
    this.clock = clock;
  }

  /**
   * Returns the source that has been due longest, empty if none is due. The source is not due again
   * for five minutes, unless it responds or becomes silent, so a reading that cannot be handled is
   * not repeated immediately.
   *
   * @param all current sources. Others are forgotten
   */
  public Optional<K> next(Collection<K> all) {
    dueNanos.keySet().retainAll(all);
    silent.retainAll(all);
    long now = clock.nanos();
    K longest = null;
    long most = -1;
    for (K each : all) {
      long since = now - dueNanos.computeIfAbsent(each, first -> now);
      if (since > most) {
        most = since;
        longest = each;
      }
    }
    if (longest != null) {
      dueNanos.put(longest, now + AFTER_SILENCE.toNanos());
    }
    return Optional.ofNullable(longest);
  }

  /** Records a missing answer. Returns whether the source answered before. */
  public boolean silent(K source) {
    boolean first = silent.add(source);
    if (first) {
      dueNanos.put(source, clock.nanos() + EVERY.toNanos());
    }
    return first;
  }

  /** Records a handled answer. Returns whether the source was silent before. */
  public boolean answered(K source) {
    dueNanos.put(source, clock.nanos() + EVERY.toNanos());
    return silent.remove(source);
  }

  /** Forgets all sources, after the lease was lost. */
  public void forget() {
    dueNanos.clear();
    silent.clear();
  }
}
