package dev.fairlead.cluster;

import dev.fairlead.node.Gpu;
import dev.fairlead.node.Node;
import dev.fairlead.resources.GpuRequest;
import java.util.Map;

/**
 * Nodes whose GPUs are handed out in equal parts, one part to a pod, by time-slicing or MPS. They
 * carry the label that NVIDIA's device plugin gives them
 * (https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus), and take no member that asks
 * for whole GPUs.
 */
public final class SharedGpus {
  private static final String LABEL = "nvidia.com/gpu.replicas";
  private static final int WHOLE = Gpu.WHOLE_MILLI;

  private SharedGpus() {}

  /**
   * Parts of each GPU of a node with these labels, at least 2; 0 where GPUs are handed out whole.
   */
  public static int parts(Map<String, String> labels) {
    String parts = labels.getOrDefault(LABEL, "");
    // asked of every node for every shape: no pattern
    int value = 0;
    for (int i = 0; i < parts.length() && value >= 0; i++) {
      int digit = parts.charAt(i) - '0';
      boolean decimal = digit >= 0 && digit <= 9 && parts.length() <= 2 && (digit > 0 || i > 0);
      value = decimal ? 10 * value + digit : -1;
    }
    return value >= 2 ? value : 0;
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
    return switch (gpu.kind()) {
      case NONE, MIG -> true;
      case WHOLE -> parts == 0;
      case FRACTION -> parts == 0 ? everywhere : fits(gpu, parts);
      // A part has no memory of its own under time-slicing.
      case MEMORY -> parts == 0 && everywhere;
    };
  }

  /** Whether the fraction asked for is the one that a node with so many parts a GPU hands out. */
  public static boolean fits(GpuRequest gpu, int parts) {
    return gpu.fractionMilli() * parts <= WHOLE && gpu.fractionMilli() * (parts + 1) > WHOLE;
  }
}
