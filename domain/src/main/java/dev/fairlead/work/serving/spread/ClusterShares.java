package dev.fairlead.work.serving.spread;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Divides the traffic of a service among the gateways of its clusters. */
public final class ClusterShares {
  private static final int ALL = 100;

  private ClusterShares() {}

  /**
   * Percent of the traffic by cluster: 100 together, or empty without a version that has traffic
   * and a ready replica. Each ready replica of a version gets the same part of the weight of the
   * version.
   *
   * @param weights percent of the traffic by version
   * @param ready ready replicas by version and cluster
   */
  public static SortedMap<String, Integer> of(
      SortedMap<Integer, Integer> weights, Map<Integer, SortedMap<String, Integer>> ready) {
    SortedMap<String, Double> parts = new TreeMap<>();
    weights.forEach((version, weight) -> {
      SortedMap<String, Integer> places = ready.getOrDefault(version, new TreeMap<>());
      int all = places.values().stream().mapToInt(Integer::intValue).sum();
      places.forEach((cluster, own) -> {
        Double _ = parts.merge(cluster, (double) weight * own / all, Double::sum);
      });
    });
    double sum = parts.values().stream().mapToDouble(Double::doubleValue).sum();
    SortedMap<String, Integer> shares = new TreeMap<>();
    double passed = 0;
    int given = 0;
    for (var each : parts.entrySet()) {
      passed += each.getValue();
      int upTo = Math.toIntExact(Math.round(passed / sum * ALL));
      Integer _ = shares.put(each.getKey(), upTo - given);
      given = upTo;
    }
    return shares;
  }
}
