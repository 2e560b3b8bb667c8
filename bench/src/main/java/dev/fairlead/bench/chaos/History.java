package dev.fairlead.bench.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What the clients were told. May be used by several threads. */
final class History {
  private static final int MOST_SURPRISES = 50;
  private final Map<Integer, Told> told = new ConcurrentSkipListMap<>();
  private final Queue<String> surprises = new ConcurrentLinkedQueue<>();
  private final LongAdder repeats = new LongAdder();

  /** A job that was acknowledged. */
  record Told(JobKind kind, String job) {}

  /** A 201 for the submit of that number; another id than before under the same key is a breach. */
  void acknowledged(int number, JobKind kind, String job) {
    Told before = told.putIfAbsent(number, new Told(kind, job));
    if (before != null && !before.job().equals(job)) {
      surprise("key chaos-" + number + " was answered with " + before.job() + ", then " + job);
    }
  }

  /** A request whose outcome was not known, or that was refused for a while: sent once more. */
  void repeated() {
    repeats.increment();
  }

  /** An answer that is none of those that may come. */
  void surprise(String what) {
    if (surprises.size() < MOST_SURPRISES) {
      surprises.add(what);
    }
  }

  Map<Integer, Told> told() {
    return told;
  }

  long repeats() {
    return repeats.sum();
  }

  List<String> surprises() {
    return new ArrayList<>(surprises);
  }
}
