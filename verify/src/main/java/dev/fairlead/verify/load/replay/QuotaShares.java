package dev.fairlead.verify.load.replay;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Divides the GPUs of a fleet among virtual clusters in proportion to their nodes. */
public final class QuotaShares {
  private QuotaShares() {}

  /**
   * Weights of the virtual clusters: their nodes. Clusters without a size share the remainder of
   * the whole equally.
   *
   * @param nodes nodes of clusters with a size
   * @param allNodes of the whole cluster
   */
  public static SortedMap<String, Double> weights(
      SortedSet<String> all, SortedMap<String, Integer> nodes, int allNodes) {
    SortedSet<String> unsized = new TreeSet<>(all);
    unsized.removeAll(nodes.keySet());
    int sized = nodes.values().stream().mapToInt(Integer::intValue).sum();
    SortedMap<String, Double> weights = new TreeMap<>();
    nodes.forEach((name, count) -> weights.put(name, (double) count));
    unsized.forEach(name -> weights.put(name, Math.max(0.0, allNodes - sized) / unsized.size()));
    return weights;
  }

  /**
   * Whole GPUs that sum to the total, by largest remainder (Hamilton's method). Equal remainders by
   * name.
   */
  static SortedMap<String, Integer> divide(int total, SortedMap<String, Double> weights) {
    double sum = weights.values().stream().mapToDouble(Double::doubleValue).sum();
    SortedMap<String, Integer> shares = new TreeMap<>();
    SortedMap<String, Double> remainders = new TreeMap<>();
    weights.forEach((name, weight) -> {
      double exact = sum == 0 ? 0 : total * weight / sum;
      shares.put(name, (int) exact);
      remainders.put(name, exact - (int) exact);
    });
    int left = total - shares.values().stream().mapToInt(Integer::intValue).sum();
    List<String> byRemainder =
        remainders.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .limit(Math.max(0, left))
            .map(Map.Entry::getKey)
            .toList();
    byRemainder.forEach(name -> shares.merge(name, 1, Integer::sum));
    return shares;
  }
}
