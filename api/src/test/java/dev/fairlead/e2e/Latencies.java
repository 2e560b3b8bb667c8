package dev.fairlead.e2e;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Durations of the steps. May be added to by several threads. */
final class Latencies {
  private final List<Duration> all = Collections.synchronizedList(new ArrayList<>());

  void add(Duration one) {
    all.add(one);
  }

  int count() {
    return all.size();
  }

  /** The smallest value that this percentage of the values does not exceed. */
  Duration at(double percent) {
    List<Duration> sorted = new ArrayList<>(all);
    Collections.sort(sorted);
    int index = (int) Math.ceil(sorted.size() * percent / 100) - 1;
    return sorted.get(Math.max(0, index));
  }

  long millisAt(double percent) {
    return at(percent).toMillis();
  }
}
