package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * What an operator says of a node's NUMA nodes by a label: how many there are. GPUs and cpu are
 * shared out equally, GPUs in the order of their indexes, and its kubelet aligns them (Topology
 * Manager, policy {@code single-numa-node}).
 */
public final class NumaNodes {
  public static final String LABEL = "topology.fairlead.dev/numa-nodes";

  private NumaNodes() {}

  /** How many, at least 1; 0 where it is unknown. */
  public static int of(Node node) {
    String said = node.labels().getOrDefault(LABEL, "");
    return said.matches("[1-9]|[1-5][0-9]") ? Integer.parseInt(said) : 0;
  }

  /** Whether one of them, when nothing runs, has what the member asks for. */
  public static boolean holds(Node node, MemberShape member) {
    int parts = of(node);
    return parts > 0
        && member.cpuMilli() <= node.allocatable().cpuMilli() / parts
        && member.wholeGpus() <= Math.ceilDiv(node.gpus().size(), parts);
  }
}
