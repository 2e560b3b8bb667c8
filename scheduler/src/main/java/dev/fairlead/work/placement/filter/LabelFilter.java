package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/** Admits nodes that carry every requested label. */
public final class LabelFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "LABELS";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return member.nodeLabels().isEmpty()
        || node.labels().entrySet().containsAll(member.nodeLabels().entrySet());
  }
}
