package dev.fairlead.verify.load.replay;

import dev.fairlead.launcher.FairleadApi;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates one queue for each virtual cluster below a separate node, through the API, unless it
 * exists.
 */
final class ReplayQueues {
  private static final String PARENT = "philly";

  private ReplayQueues() {}

  static String nameOf(String virtualCluster) {
    return PARENT + "-" + virtualCluster;
  }

  /**
   * Queues with a nominal quota in proportion to the virtual clusters' nodes, which borrow idle
   * quota of others.
   */
  static void create(FairleadApi api, PhillyTrace trace, ReplayFleet fleet) {
    SortedSet<String> known = new TreeSet<>();
    api.each("/quotas", node -> known.add(node.path("name").asString("")));
    if (!known.contains(PARENT)) {
      api.post("/quotas", node(PARENT, "root"));
    }
    SortedMap<String, Double> weights =
        QuotaShares.weights(trace.virtualClusters(), trace.nodes(), PhillyTrace.ALL_NODES);
    SortedMap<String, SortedMap<String, Integer>> shares = new TreeMap<>();
    fleet.gpus().forEach((flavor, gpus) -> shares.put(flavor, QuotaShares.divide(gpus, weights)));
    for (String virtualCluster : weights.keySet()) {
      if (!known.contains(nameOf(virtualCluster))) {
        api.post("/quotas", queue(virtualCluster, shares));
      }
    }
  }

  private static ObjectNode queue(
      String virtualCluster, SortedMap<String, SortedMap<String, Integer>> shares) {
    ObjectNode body = node(nameOf(virtualCluster), PARENT);
    ArrayNode limits = body.putArray("limits");
    shares.forEach((flavor, byName) ->
        limits
            .addObject()
            .put("flavor", flavor)
            .put("resource", "gpu")
            .put("nominal", byName.get(virtualCluster)));
    body.putObject("queue").put("order", "BEST_EFFORT_FIFO").put("state", "ACTIVE");
    return body;
  }

  private static ObjectNode node(String name, String parent) {
    return JsonNodeFactory.instance.objectNode().put("name", name).put("parent", parent);
  }
}
