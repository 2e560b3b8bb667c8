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
    long free = 0;
    long allocated = 0;
    long unhealthy = 0;
    long cordoned = 0;
    long foreign = 0;
    for (Node node : nodes) {
      Use use = worse(use(cluster.state()), use(node.state()));
      long left = 0;
      for (Gpu gpu : node.gpus()) {
        int rest = Gpu.WHOLE_MILLI - gpu.allocatedMilli();
        allocated += gpu.allocatedMilli();
        unhealthy += use == Use.UNHEALTHY || !gpu.usable() ? rest : 0;
        left += use == Use.UNHEALTHY ? 0 : gpu.freeMilli();
      }
      long others = Math.min(left, node.foreign().gpuMilli());
      foreign += others;
      cordoned += use == Use.CORDONED ? left - others : 0;
      free += use == Use.OPEN ? left - others : 0;
    }
    return new CapacityItem(
        cluster.name(),
        model,
        cluster.capacity(),
        free + allocated + unhealthy + cordoned + foreign,
        free,
        allocated,
        unhealthy,
        cordoned,
        foreign,
        gangs(cluster, nodes));
  }

  /** Whether something new may come here; the later one says more. */
  private enum Use {
    OPEN,
    CORDONED,
    UNHEALTHY
  }

  private static Use use(ClusterState state) {
    return switch (state) {
      case ACTIVE -> Use.OPEN;
      case DRAINING, DISABLED -> Use.CORDONED;
      case DEGRADED, UNREACHABLE -> Use.UNHEALTHY;
    };
  }

  private static Use use(NodeState state) {
    return switch (state) {
      case ACTIVE -> Use.OPEN;
      case CORDONED, DRAINING -> Use.CORDONED;
      case QUARANTINED, UNREACHABLE, RETIRED -> Use.UNHEALTHY;
    };
  }

  private static Use worse(Use one, Use other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  private static List<CapacityItem.LargestGang> gangs(Cluster cluster, List<Node> nodes) {
    List<CapacityItem.LargestGang> gangs = new ArrayList<>();
    for (String level : cluster.capabilities().topologyLevels()) {
      Map<String, Long> free = new TreeMap<>();
      for (Node node : nodes) {
        String domain = node.topology().get(level);
        if (domain != null && worse(use(cluster.state()), use(node.state())) == Use.OPEN) {
          free.merge(domain, wholeFree(node), Long::sum);
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

  /** Which GPUs the pods of others hold is not known, only how many. */
  private static long wholeFree(Node node) {
    long idle = node.gpus().stream().filter(g -> g.freeMilli() == Gpu.WHOLE_MILLI).count();
    return Math.max(0, Math.min(idle, node.free().gpuMilli() / Gpu.WHOLE_MILLI));
  }
}
