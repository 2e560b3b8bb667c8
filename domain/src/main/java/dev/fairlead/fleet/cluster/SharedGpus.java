package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Gpu;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import java.util.Map;

/**
 * Nodes whose GPUs are handed out in equal parts, one part to a pod, by time-slicing or MPS. They
 * carry the label {@link GpuOffer#LABEL}, and take no member that asks for whole GPUs.
 */
public final class SharedGpus {
  private static final int WHOLE = Gpu.WHOLE_MILLI;

  private SharedGpus() {}

  /**
   * Parts of each GPU of a node with these labels, at least 2; 0 where GPUs are handed out whole.
   */
  public static int parts(Map<String, String> labels) {
    if (GpuOffer.whole(labels)) {
      return 0; // asked of every node for every shape
    }
    GpuOffer offer = GpuOffer.of(labels, "", 0);
    return offer.kind() == GpuOffer.Kind.PARTS ? offer.parts() : 0;
  }

  /**
   * Whether the node can give a member what it asks of a GPU. A part that is asked for is the
   * node's part when exactly so many of them fit on a GPU as it has parts. The simulation realises
   * every part on every GPU.
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
      // A part has no memory of its own under time-slicing.
      case MEMORY -> whole && everywhere;
    };
  }

  /** Whether the fraction asked for is the one that a node with so many parts a GPU hands out. */
  public static boolean fits(GpuRequest gpu, int parts) {
    return gpu.fractionMilli() * parts <= WHOLE && gpu.fractionMilli() * (parts + 1) > WHOLE;
  }
}
