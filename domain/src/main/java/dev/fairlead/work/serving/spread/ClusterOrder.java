package dev.fairlead.work.serving.spread;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The order of clusters for a replica. Clusters with free nodes come first, and clusters without a
 * node that fits come last. Among equal clusters, those with the fewest replicas of its version
 * come first, so that the loss of a cluster costs as few replicas as possible. Then the order of
 * the job and then the lower price decide. The scheduler takes the first cluster with enough quota,
 * healthy nodes and an open window, so a wrong estimate of nodes only makes the spread less even.
 */
public final class ClusterOrder {
  /** Capacity of a cluster for a job, judged for each member separately. */
  private enum Room {
    FREE,
    /** The capacity is used by others. */
    USED,
    NONE
  }

  private ClusterOrder() {}

  /**
   * Names of clusters. The result is empty if there is no choice.
   *
   * @param tenant owner of the job
   * @param replicas replicas of the version that do not leave, by the name of their cluster
   */
  public static List<String> of(
      JobSpec spec, TenantId tenant, FleetSource.Fleet fleet, Map<String, Integer> replicas) {
    List<String> named = spec.placement().clusters();
    List<Cluster> allowed =
        fleet.clusters().stream()
            .filter(each -> named.isEmpty() || named.contains(each.name()))
            .filter(each -> each.state() == ClusterState.ACTIVE)
            .toList();
    if (allowed.size() < 2) {
      return List.of();
    }
    SortedMap<ClusterId, List<Node>> nodes = new TreeMap<>();
    for (Node node : fleet.nodes()) {
      if (node.state() == NodeState.ACTIVE && open(node, spec, tenant)) {
        nodes.computeIfAbsent(node.cluster(), any -> new ArrayList<>()).add(node);
      }
    }
    SortedMap<ClusterId, Room> rooms = new TreeMap<>();
    for (Cluster each : allowed) {
      rooms.put(each.id(), room(spec, nodes.getOrDefault(each.id(), List.of())));
    }
    return allowed.stream()
        .sorted(
            Comparator.comparing((Cluster each) -> rooms.getOrDefault(each.id(), Room.NONE))
                .thenComparingInt(each -> replicas.getOrDefault(each.name(), 0))
                .thenComparingInt(each -> named.indexOf(each.name()))
                .thenComparingLong(ClusterOrder::price)
                .thenComparing(Cluster::name))
        .map(Cluster::name)
        .toList();
  }

  private static boolean open(Node node, JobSpec spec, TenantId tenant) {
    NodePool pool = node.pool();
    List<String> pools = spec.placement().pools();
    return (pools.isEmpty() || pool != null && pools.contains(pool.name()))
        && (pool == null || pool.serves(tenant));
  }

  /** The room of the role with the least. */
  private static Room room(JobSpec spec, List<Node> nodes) {
    return spec.roles().stream()
        .map(role ->
            nodes.stream()
                .map(node -> room(role, node))
                .min(Comparator.naturalOrder())
                .orElse(Room.NONE))
        .max(Comparator.naturalOrder())
        .orElse(Room.NONE);
  }

  private static Room room(RoleSpec role, Node node) {
    ResourceVector member =
        ResourceVector.of(
            role.memberCpuMilli(),
            role.memberMemoryMiB(),
            role.gpu().milliOn(node.gpuModel(), node.gpuMemoryMiB()),
            1);
    boolean fits =
        role.gpu().accepts(node.gpuModel(), node.gpuMemoryMiB())
            && member.fitsIn(node.allocatable());
    return !fits ? Room.NONE : member.fitsIn(node.free()) ? Room.FREE : Room.USED;
  }

  /** The lowest price of a GPU. A cluster without prices is tried last. */
  private static long price(Cluster cluster) {
    return cluster.pricePerGpuHour().values().stream()
        .mapToLong(Long::longValue)
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
