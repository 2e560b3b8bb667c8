package dev.fairlead.verify.faults.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measured durations by name. */
final class Figures {
  private final Map<String, List<Duration>> taken = new TreeMap<>();

  void add(String name, Duration time) {
    taken.computeIfAbsent(name, n -> new ArrayList<>()).add(time);
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    taken.forEach((name, times) -> {
      Collections.sort(times);
      lines.add(
          String.format(
              Locale.ROOT,
              "%-44s median %6.2f s   longest %6.2f s   of %d",
              name,
              seconds(times.get(times.size() / 2)),
              seconds(times.getLast()),
              times.size()));
    });
    return lines;
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }
}
