package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds clusters and nodes by id or name. */
public final class FleetNames {
  private FleetNames() {}

  /**
   * @throws Refusal NOT_FOUND
   */
  public static Cluster cluster(InventoryStore inventory, String text) {
    Optional<Cluster> byId =
        IdText.decode(IdKind.CLUSTER, text).flatMap(id -> inventory.cluster(new ClusterId(id)));
    return byId.or(() -> inventory.clusterNamed(text))
        .orElseThrow(() -> missing("cluster \"" + text + "\""));
  }

  /**
   * @throws Refusal NOT_FOUND, also for a retired node, INVALID_PARAMETER if several clusters have
   *     a node of that name
   */
  public static Node node(InventoryStore inventory, String text) {
    Optional<Node> byId =
        IdText.decode(IdKind.NODE, text).flatMap(id -> inventory.node(new NodeId(id)));
    if (byId.isPresent()) {
      return byId.filter(n -> n.state() != NodeState.RETIRED)
          .orElseThrow(() -> missing("node " + text + " any more"));
    }
    List<Node> named = inventory.named(Set.of(text));
    if (named.size() > 1) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          named.size()
              + " clusters have a node \""
              + text
              + "\". Give its id: "
              + String.join(", ", named.stream().limit(4).map(n -> n.id().text()).toList())
              + ".");
    }
    return named.stream().findFirst().orElseThrow(() -> missing("node \"" + text + "\""));
  }

  /** Returns the nodes in service with one of these ids or names, by cluster, then name. */
  public static List<Node> nodes(InventoryStore inventory, Collection<String> texts) {
    Set<NodeId> ids = new TreeSet<>();
    texts.forEach(
        text -> IdText.decode(IdKind.NODE, text).ifPresent(id -> ids.add(new NodeId(id))));
    List<Node> nodes = new ArrayList<>(inventory.named(texts));
    nodes.addAll(ids.isEmpty() ? List.of() : inventory.inService(ids));
    return nodes.stream()
        .distinct()
        .sorted(Comparator.comparing(Node::cluster).thenComparing(Node::name))
        .toList();
  }

  private static Refusal missing(String what) {
    return new Refusal(ProblemCode.NOT_FOUND, "There is no " + what + ".");
  }
}
