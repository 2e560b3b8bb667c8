package dev.fairlead.work.serving.signal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A number of the ready replicas of a version. Exists only if every part has a value.
 *
 * @param name {@link Guard#name} of a guard, or the metric of a load target
 * @param of how numbers of several clusters are combined
 * @param replicas number of replicas with a value, at least 1
 * @param at time of the query
 */
public record Reading(String name, Signal.Function of, double value, int replicas, Instant at) {
  /**
   * Combines the readings of several clusters. The argument has one list for each cluster. A
   * reading that any cluster lacks is omitted.
   */
  public static List<Reading> combined(List<List<Reading>> ofClusters) {
    SortedMap<String, List<Reading>> byName = new TreeMap<>();
    for (List<Reading> each : ofClusters) {
      each.forEach(
          reading -> byName.computeIfAbsent(reading.name(), any -> new ArrayList<>()).add(reading));
    }
    return byName.values().stream()
        .filter(each -> each.size() == ofClusters.size())
        .map(Reading::combine)
        .toList();
  }

  private static Reading combine(List<Reading> readings) {
    Reading first = readings.getFirst();
    List<Double> values = new ArrayList<>();
    int replicas = 0;
    for (Reading each : readings) {
      int weight = first.of() == Signal.Function.AVG ? each.replicas() : 1;
      for (int i = 0; i < weight; i++) {
        values.add(each.value());
      }
      replicas += each.replicas();
    }
    Instant oldest =
        readings.stream().map(Reading::at).min(Comparator.naturalOrder()).orElse(first.at());
    return new Reading(first.name(), first.of(), first.of().of(values), replicas, oldest);
  }
}
