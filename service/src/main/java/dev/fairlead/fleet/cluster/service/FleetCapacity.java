package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.CapacityReservations;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.Actor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/** Computes the capacity of the fleet and its free part. */
@Service
public class FleetCapacity {
  private final FleetSource fleet;
  private final CapacityReservations rooms;

  public FleetCapacity(FleetSource fleet, CapacityReservations rooms) {
    this.fleet = fleet;
    this.rooms = rooms;
  }

  /**
   * Returns one item per cluster, pool, GPU model and capacity type, in this order, with nodes
   * without a pool first. The data is at most two seconds old. Nodes of pools that the actor may
   * not see are omitted, because its jobs never run on them.
   */
  public List<CapacityItem> items(Actor actor) {
    FleetSource.Fleet now = fleet.now();
    QueuedReservations kept = QueuedReservations.of(now, rooms.kept());
    List<CapacityItem> items = new ArrayList<>();
    for (Cluster cluster : now.clusters()) {
      SortedMap<Kind, List<Node>> kinds = new TreeMap<>();
      for (Node node : now.nodes()) {
        if (node.cluster().equals(cluster.id())
            && !node.gpuModel().equals(Flavor.CPU)
            && Pools.sees(actor, node.pool())) {
          kinds.computeIfAbsent(Kind.of(cluster, node), k -> new ArrayList<>()).add(node);
        }
      }
      kinds.forEach((kind, own) -> items.add(item(cluster, kind, own, kept)));
    }
    return items;
  }

  /** Key by which nodes are counted together. */
  private record Kind(String pool, String model, CapacityType capacity)
      implements Comparable<Kind> {
    private static final Comparator<Kind> ORDER =
        Comparator.comparing(Kind::pool).thenComparing(Kind::model).thenComparing(Kind::capacity);

    static Kind of(Cluster cluster, Node node) {
      NodePool pool = node.pool();
      return new Kind(pool == null ? "" : pool.name(), node.gpuModel(), cluster.capacityOf(node));
    }

    @Override
    public int compareTo(Kind other) {
      return ORDER.compare(this, other);
    }
  }

  private static CapacityItem item(
      Cluster cluster, Kind kind, List<Node> nodes, QueuedReservations keptRoom) {
    long free = 0;
    long allocated = 0;
    long unhealthy = 0;
    long cordoned = 0;
    long foreign = 0;
    long kept = 0;
    long spare = 0;
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
      long open = use == Use.OPEN ? left - others : 0;
      long its = Math.min(open, keptRoom.kept(node));
      boolean isSpare = keptRoom.spare(node);
      kept += its;
      spare += isSpare ? open - its : 0;
      free += isSpare ? 0 : open - its;
    }
    return CapacityItemBuilder.builder()
        .cluster(cluster.name())
        .pool(kind.pool().isEmpty() ? null : kind.pool())
        .model(kind.model())
        .capacity(kind.capacity())
        .total(free + allocated + unhealthy + cordoned + foreign + kept + spare)
        .free(free)
        .allocated(allocated)
        .unhealthy(unhealthy)
        .cordoned(cordoned)
        .foreign(foreign)
        .kept(kept)
        .spare(spare)
        .largestGang(gangs(cluster, nodes))
        .build();
  }

  /** Whether a node or cluster accepts new work. A later constant takes precedence. */
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

  /** Only the number of GPUs that foreign pods hold is known, not which ones. */
  private static long wholeFree(Node node) {
    if (!GpuOffer.whole(node.labels())) {
      return 0;
    }
    long idle = node.gpus().stream().filter(g -> g.freeMilli() == Gpu.WHOLE_MILLI).count();
    return Math.max(0, Math.min(idle, node.free().gpuMilli() / Gpu.WHOLE_MILLI));
  }
}
