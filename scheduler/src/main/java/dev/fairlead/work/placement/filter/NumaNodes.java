package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Reads the number of NUMA nodes from a label that an operator sets on a node. GPUs and CPUs are
 * divided equally, GPUs in index order, and the kubelet aligns them (Topology Manager, policy
 * {@code single-numa-node}).
 */
public final class NumaNodes {
  public static final String LABEL = "topology.fairlead.dev/numa-nodes";

  private NumaNodes() {}

  /** Returns the number of NUMA nodes, at least 1, or 0 if it is unknown. */
  public static int of(Node node) {
    String said = node.labels().getOrDefault(LABEL, "");
    return said.matches("[1-9]|[1-5][0-9]") ? Integer.parseInt(said) : 0;
  }

  /** Returns whether one idle NUMA node has the resources that the member requests. */
  public static boolean holds(Node node, MemberShape member) {
    int parts = of(node);
    return parts > 0
        && member.cpuMilli() <= node.allocatable().cpuMilli() / parts
        && member.wholeGpus() <= Math.ceilDiv(node.gpus().size(), parts);
  }
}
