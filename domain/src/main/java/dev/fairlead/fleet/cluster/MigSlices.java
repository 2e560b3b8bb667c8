package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.MigResource;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decides where members get MIG slices. On a real cluster, an administrator partitions the GPUs.
 * The device plugin offers each profile as a separate resource (strategy {@code mixed},
 * https://docs.nvidia.com/datacenter/cloud-native/kubernetes/latest/index.html), and the GPU of a
 * slice is unknown. With strategy {@code single} all slices of a node have one profile, so Fairlead
 * chooses the position of each slice. The simulation partitions GPUs on demand.
 */
public final class MigSlices {
  private MigSlices() {}

  /** Returns the profiles of preconfigured slices that the node offers, by name. */
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
   * Returns how Fairlead places slices on the node's GPUs, for GPUs that are partitioned on demand
   * and for GPUs that offer slices of one profile only. The result is empty for other GPUs.
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

  /** Returns whether the node can ever give a member the requested slices. */
  public static boolean realises(Cluster cluster, Node node, GpuRequest gpu) {
    String profile = gpu.migProfile();
    if (gpu.kind() != GpuRequest.Kind.MIG || profile == null) {
      return gpu.kind() != GpuRequest.Kind.MIG;
    }
    return node.allocatable().extended().getOrDefault(MigResource.of(profile), 0L) > 0
        || onDemand(cluster, node).flatMap(g -> g.profile(profile)).isPresent();
  }
}
