package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Distributes the nodes of each model to queues by weight: the private cluster of each. A node goes
 * to the queue that is furthest below its share in GPUs (in nodes if there are none), ties by name.
 */
final class NodeShares {
  private NodeShares() {}

  static SortedMap<String, List<Node>> of(List<Node> nodes, SortedMap<String, Double> weights) {
    SortedMap<String, List<Node>> hands = new TreeMap<>();
    weights.keySet().forEach(queue -> hands.put(queue, new ArrayList<>()));
    SortedMap<String, List<Node>> kinds = new TreeMap<>();
    for (Node node : nodes) {
      kinds
          .computeIfAbsent(node.gpuModel() + "/" + node.gpus().size(), k -> new ArrayList<>())
          .add(node);
    }
    kinds.values().forEach(kind -> deal(kind, weights, hands));
    return hands;
  }

  private static void deal(
      List<Node> kind, SortedMap<String, Double> weights, SortedMap<String, List<Node>> hands) {
    double all = weights.values().stream().mapToDouble(Double::doubleValue).sum();
    SortedMap<String, Integer> dealt = new TreeMap<>();
    for (int i = 0; i < kind.size(); i++) {
      String neediest = weights.firstKey();
      double least = Double.MAX_VALUE;
      for (Map.Entry<String, Double> queue : weights.entrySet()) {
        /* The node goes to the queue with the largest deficit against its share. */
        double due = (i + 1) * queue.getValue() / all;
        double surplus = dealt.getOrDefault(queue.getKey(), 0) - due;
        if (surplus < least - 1e-9) {
          least = surplus;
          neediest = queue.getKey();
        }
      }
      dealt.merge(neediest, 1, Integer::sum);
      hands.computeIfAbsent(neediest, q -> new ArrayList<>()).add(kind.get(i));
    }
  }
}
