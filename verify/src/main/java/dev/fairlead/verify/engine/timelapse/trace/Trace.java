package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.fleet.node.Node;
import java.util.List;
import java.util.SortedMap;

/**
 * A trace ready to be replayed.
 *
 * @param nodes nodes of the one cluster
 * @param weights share of each queue in the nodes, above 0
 * @param jobs by time of submission
 */
public record Trace(
    String name, List<Node> nodes, SortedMap<String, Double> weights, List<Arrival> jobs) {
  public int gpus() {
    return nodes.stream().mapToInt(n -> n.gpus().size()).sum();
  }
}
