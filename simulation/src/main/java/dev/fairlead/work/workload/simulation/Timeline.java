package dev.fairlead.work.workload.simulation;

import java.time.Instant;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Future events, by time and then by order of planning. Not thread-safe. */
final class Timeline {
  /** An event. */
  @FunctionalInterface
  interface Event {
    /**
     * @param at when it was due, which may be before now for events that became known late
     */
    void happen(Instant at);
  }

  /** A planned event. The handle to cancel it. */
  record Entry(Instant at, long sequence, Event event) {}

  /**
   * A set and not a heap: entries of stopped pods are removed immediately, so none outlives its
   * pod.
   */
  private final TreeSet<Entry> entries =
      new TreeSet<>(Comparator.comparing(Entry::at).thenComparingLong(Entry::sequence));

  private Instant now;
  private long sequence;

  Timeline(Instant start) {
    now = start;
  }

  /** Never runs backwards, even if the clock does. */
  Instant now() {
    return now;
  }

  Entry plan(Instant at, Event event) {
    Entry entry = new Entry(at, sequence++, event);
    entries.add(entry);
    return entry;
  }

  void cancel(@Nullable Entry entry) {
    if (entry != null) {
      entries.remove(entry);
    }
  }

  /** Time of the next event, null if none. */
  @Nullable Instant next() {
    return entries.isEmpty() ? null : entries.first().at();
  }

  /** Runs all events that are due until then, each at its own time. */
  void runTo(Instant limit) {
    while (!entries.isEmpty() && !entries.first().at().isAfter(limit)) {
      Entry entry = entries.removeFirst();
      forward(entry.at());
      entry.event().happen(entry.at());
    }
    forward(limit);
  }

  private void forward(Instant to) {
    now = to.isAfter(now) ? to : now;
  }
}
