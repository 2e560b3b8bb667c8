package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Admits members with a container to clusters that run containers, and members without one to Slurm
 * clusters. A simulated cluster admits both.
 */
public final class ContainerFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "CONTAINER";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return cluster.kind() == ClusterKind.SIMULATED
        || member.terms().bare() == (cluster.kind() == ClusterKind.SLURM);
  }
}
