package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.MigResource;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Where members get MIG slices. On a cluster they are what an administrator cut: the device plugin
 * offers each profile as a resource of its own (strategy {@code mixed},
 * https://docs.nvidia.com/datacenter/cloud-native/kubernetes/latest/index.html), and which GPU a
 * slice is on is not known. With the strategy {@code single} all slices of a node have one profile,
 * so the place of each slice is chosen here. The simulation cuts GPUs as they are asked for.
 */
public final class MigSlices {
  private MigSlices() {}

  /** Profiles of which the node offers slices that were cut before, by name. */
  public static SortedSet<String> cut(Node node) {
    SortedSet<String> profiles = new TreeSet<>();
    node.allocatable()
        .extended()
        .forEach((resource, amount) -> {
          String profile = MigResource.profile(resource);
          if (profile != null && amount > 0) {
            profiles.add(profile);
          }
        });
    return profiles;
  }

  /**
   * How slices of the node's GPUs are placed here, for GPUs that are cut as slices are asked for
   * and for GPUs that offer slices of one profile only; empty for other GPUs.
   */
  public static Optional<MigGeometry> onDemand(Cluster cluster, Node node) {
    GpuOffer offer = GpuOffer.of(node.labels(), node.gpuModel(), node.gpuMemoryMiB());
    String single = offer.profile();
    if (single != null) {
      return MigGeometry.of(node.gpuModel()).flatMap(geometry -> geometry.only(single));
    }
    boolean cuts = cluster.kind() == ClusterKind.SIMULATED && cluster.capabilities().mig();
    return cuts && offer.kind() == GpuOffer.Kind.WHOLE
        ? MigGeometry.of(node.gpuModel())
        : Optional.empty();
  }

  /** Whether the node can ever give a member the slices that it asks for. */
  public static boolean realises(Cluster cluster, Node node, GpuRequest gpu) {
    String profile = gpu.migProfile();
    if (gpu.kind() != GpuRequest.Kind.MIG || profile == null) {
      return gpu.kind() != GpuRequest.Kind.MIG;
    }
    return node.allocatable().extended().getOrDefault(MigResource.of(profile), 0L) > 0
        || onDemand(cluster, node).flatMap(g -> g.profile(profile)).isPresent();
  }
}
