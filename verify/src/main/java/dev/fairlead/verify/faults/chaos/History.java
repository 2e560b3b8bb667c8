package dev.fairlead.verify.faults.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** The responses to the clients. Thread-safe. */
final class History {
  private static final int MOST_SURPRISES = 50;
  private final Map<Integer, Told> told = new ConcurrentSkipListMap<>();
  private final Queue<String> surprises = new ConcurrentLinkedQueue<>();
  private final LongAdder repeats = new LongAdder();

  /** An acknowledged job. */
  record Told(JobKind kind, String job) {}

  /**
   * Records a 201 for the submit with that number. Another id under the same key is a violation.
   */
  void acknowledged(int number, JobKind kind, String job) {
    Told before = told.putIfAbsent(number, new Told(kind, job));
    if (before != null && !before.job().equals(job)) {
      surprise("key chaos-" + number + " was answered with " + before.job() + ", then " + job);
    }
  }

  /** Records a request with an unknown outcome or a temporary refusal, which is sent again. */
  void repeated() {
    repeats.increment();
  }

  /** Records an unexpected response. */
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
