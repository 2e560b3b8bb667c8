package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Resolves the nodes that a campaign selects. */
final class CampaignNodes {
  private CampaignNodes() {}

  /**
   * Returns the nodes by cluster, then by name.
   *
   * @throws Refusal INVALID_FIELD (unknown cluster or node, or no node selected), LIMIT_EXCEEDED
   */
  static List<Node> of(InventoryStore inventory, NewCampaign wanted) {
    String cluster = wanted.cluster();
    ClusterId there = cluster == null ? null : cluster(inventory, cluster);
    List<String> named = wanted.nodes();
    List<Node> nodes =
        (named == null ? inventory.nodes(there) : FleetNames.nodes(inventory, named))
            .stream()
                .filter(node -> there == null || node.cluster().equals(there))
                .filter(node -> in(wanted.pool(), node))
                .toList();
    List<Node> meant = named == null ? nodes : named(nodes, named);
    if (meant.isEmpty()) {
      throw new Refusal(
          ProblemCode.INVALID_FIELD, "The campaign has no nodes: no node matches this selection.");
    }
    if (meant.size() > Campaign.MOST_NODES) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The campaign has %d nodes, but at most %d are allowed."
              .formatted(meant.size(), Campaign.MOST_NODES));
    }
    return meant;
  }

  private static ClusterId cluster(InventoryStore inventory, String text) {
    return inventory.clusters().stream()
        .filter(cluster -> cluster.name().equals(text) || cluster.id().text().equals(text))
        .map(Cluster::id)
        .findFirst()
        .orElseThrow(() ->
            new Refusal(ProblemCode.INVALID_FIELD, "There is no cluster \"%s\".".formatted(text)));
  }

  private static boolean in(@Nullable String pool, Node node) {
    NodePool its = node.pool();
    return pool == null || its != null && its.name().equals(pool);
  }

  private static List<Node> named(List<Node> nodes, List<String> names) {
    Map<String, List<Node>> known = new TreeMap<>();
    for (Node node : nodes) {
      known.computeIfAbsent(node.name(), name -> new ArrayList<>()).add(node);
      known.computeIfAbsent(node.id().text(), name -> new ArrayList<>()).add(node);
    }
    Map<Integer, Node> meant = new TreeMap<>();
    for (String name : names) {
      List<Node> found = known.getOrDefault(name, List.of());
      if (found.size() != 1) {
        throw new Refusal(
            ProblemCode.INVALID_FIELD,
            found.isEmpty()
                ? "The selection has no node \"%s\".".formatted(name)
                : "%d clusters have a node \"%s\". Use its id, or name the cluster."
                    .formatted(found.size(), name));
      }
      meant.put(nodes.indexOf(found.getFirst()), found.getFirst());
    }
    return List.copyOf(meant.values());
  }
}
