package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** Selections and sums of the nodes of {@link MemoryInventoryStore}. */
final class NodeReads {
  private static final Comparator<NodePage.Place> PLACES =
      Comparator.comparing(NodePage.Place::cluster).thenComparing(NodePage.Place::name);

  private NodeReads() {}

  static List<Node> page(List<Node> nodes, NodePage page) {
    return nodes.stream()
        .filter(n -> page.states().isEmpty() || page.states().contains(n.state()))
        .filter(n -> page.models() == null || page.models().contains(n.gpuModel()))
        .filter(n -> page.after() == null || PLACES.compare(place(n), page.after()) > 0)
        .limit(page.most())
        .toList();
  }

  private static NodePage.Place place(Node node) {
    return new NodePage.Place(node.cluster(), node.name());
  }

  /** Nodes with pods in these pools, including retired nodes. */
  static SortedMap<NodeId, String> busyIn(
      Collection<Node> nodes, ClusterId cluster, Collection<String> names) {
    SortedMap<NodeId, String> busy = new TreeMap<>();
    busyRows(nodes, cluster)
        .forEach(node -> {
          NodePool pool = node.pool();
          if (pool != null && names.contains(pool.name())) {
            busy.put(node.id(), pool.name());
          }
        });
    return busy;
  }

  /** Nodes with pods, including retired nodes. */
  static SortedSet<NodeId> busy(Collection<Node> nodes, ClusterId cluster) {
    SortedSet<NodeId> busy = new TreeSet<>();
    busyRows(nodes, cluster).forEach(node -> busy.add(node.id()));
    return busy;
  }

  private static Stream<Node> busyRows(Collection<Node> nodes, ClusterId cluster) {
    return nodes.stream()
        .filter(node -> node.cluster().equals(cluster) && node.allocated().pods() > 0);
  }

  static List<CordonedNode> cordons(
      Collection<Node> nodes, ClusterId cluster, Function<NodeId, Cordon> cordonOf) {
    return nodes.stream()
        .filter(n -> n.cluster().equals(cluster) && cordonOf.apply(n.id()) != Cordon.NONE)
        .map(n -> new CordonedNode(n.id(), n.name(), cordonOf.apply(n.id())))
        .toList();
  }

  static SortedMap<NodeId, Long> pods(Collection<Node> nodes, Set<NodeId> ids) {
    SortedMap<NodeId, Long> pods = new TreeMap<>();
    nodes.stream()
        .filter(node -> ids.contains(node.id()) && node.allocated().pods() > 0)
        .forEach(node -> pods.put(node.id(), node.allocated().pods()));
    return pods;
  }

  static SortedMap<ClusterId, FleetSize> sizes(List<Node> nodes) {
    SortedMap<ClusterId, FleetSize> sizes = new TreeMap<>();
    for (Node node : nodes) {
      int gpus = node.gpus().size();
      sizes.merge(
          node.cluster(),
          new FleetSize(1, gpus > 0 ? 1 : 0, gpus),
          (a, b) ->
              new FleetSize(
                  a.nodes() + b.nodes(), a.gpuNodes() + b.gpuNodes(), a.gpus() + b.gpus()));
    }
    return sizes;
  }
}
