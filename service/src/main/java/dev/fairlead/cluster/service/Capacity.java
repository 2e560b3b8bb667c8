package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.cluster.FleetSource;
import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeState;
import dev.fairlead.resources.Flavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

/** What the fleet has and has left. */
@Service
public class Capacity {
  private final FleetSource fleet;

  public Capacity(FleetSource fleet) {
    this.fleet = fleet;
  }

  /** One item per cluster and GPU model, by cluster name, then model; at most two seconds old. */
  public List<CapacityItem> items() {
    FleetSource.Fleet now = fleet.now();
    Map<ClusterId, Map<String, List<Node>>> nodes =
        now.nodes().stream()
            .filter(n -> !n.gpuModel().equals(Flavor.CPU))
            .collect(
                Collectors.groupingBy(
                    Node::cluster,
                    TreeMap::new,
                    Collectors.groupingBy(Node::gpuModel, TreeMap::new, Collectors.toList())));
    List<CapacityItem> items = new ArrayList<>();
    for (Cluster cluster : now.clusters()) {
      nodes
          .getOrDefault(cluster.id(), Map.of())
          .forEach((model, own) -> items.add(item(cluster, model, own)));
    }
    return items;
  }

  private static CapacityItem item(Cluster cluster, String model, List<Node> nodes) {
    long total = 0;
    long free = 0;
    long allocated = 0;
    long unhealthy = 0;
    for (Node node : nodes) {
      boolean usable = cluster.state() == ClusterState.ACTIVE && node.state() == NodeState.ACTIVE;
      for (Gpu gpu : node.gpus()) {
        long left = usable ? gpu.freeMilli() : 0;
        total += Gpu.WHOLE_MILLI;
        allocated += gpu.allocatedMilli();
        free += left;
        unhealthy += Gpu.WHOLE_MILLI - gpu.allocatedMilli() - left;
      }
    }
    return new CapacityItem(
        cluster.name(),
        model,
        cluster.capacity(),
        total,
        free,
        allocated,
        unhealthy,
        gangs(cluster, nodes));
  }

  private static List<CapacityItem.LargestGang> gangs(Cluster cluster, List<Node> nodes) {
    List<CapacityItem.LargestGang> gangs = new ArrayList<>();
    for (String level : cluster.capabilities().topologyLevels()) {
      Map<String, Long> free = new TreeMap<>();
      for (Node node : nodes) {
        String domain = node.topology().get(level);
        if (domain != null
            && node.state() == NodeState.ACTIVE
            && cluster.state() == ClusterState.ACTIVE) {
          long whole = node.gpus().stream().filter(g -> g.freeMilli() == Gpu.WHOLE_MILLI).count();
          free.merge(domain, whole, Long::sum);
        }
      }
      free.entrySet().stream()
          .max(
              Map.Entry.<String, Long>comparingByValue()
                  .thenComparing(Map.Entry.<String, Long>comparingByKey().reversed()))
          .ifPresent(e -> gangs.add(new CapacityItem.LargestGang(level, e.getValue(), e.getKey())));
    }
    return gangs;
  }
}
