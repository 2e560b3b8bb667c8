package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import java.util.Map;

/**
 * Nodes that share their GPUs in equal parts, one part for each pod, by time-slicing or MPS. They
 * carry the label {@link GpuOffer#LABEL} and accept no member that requests whole GPUs.
 */
public final class SharedGpus {
  private static final int WHOLE = Gpu.WHOLE_MILLI;

  private SharedGpus() {}

  /** Returns the parts of each GPU of a node with these labels, at least 2, 0 for whole GPUs. */
  public static int parts(Map<String, String> labels) {
    if (GpuOffer.whole(labels)) {
      return 0; // called for every node and every shape
    }
    GpuOffer offer = GpuOffer.of(labels, "", 0);
    return offer.kind() == GpuOffer.Kind.PARTS ? offer.parts() : 0;
  }

  /**
   * Returns whether the node can satisfy the GPU request of a member. A requested fraction matches
   * the node's part if exactly as many of these fractions fit on a GPU as it has parts. The
   * simulation supports every fraction on every GPU.
   */
  public static boolean realises(Cluster cluster, Node node, GpuRequest gpu) {
    int parts = parts(node.labels());
    boolean everywhere =
        cluster.capabilities().sharing() && cluster.kind() == ClusterKind.SIMULATED;
    boolean whole = GpuOffer.whole(node.labels());
    return switch (gpu.kind()) {
      case NONE, MIG -> true;
      case WHOLE -> whole;
      case FRACTION -> whole ? everywhere : fits(gpu, parts);
      case MEMORY -> whole && everywhere; // a part has no separate memory under time-slicing
    };
  }

  /** Returns whether the requested fraction matches a node with this many parts for each GPU. */
  public static boolean fits(GpuRequest gpu, int parts) {
    return gpu.fractionMilli() * parts <= WHOLE && gpu.fractionMilli() * (parts + 1) > WHOLE;
  }
}
