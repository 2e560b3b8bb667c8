package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.GpuRequest;

/** Parts of a GPU only where the cluster realises them. */
public final class SharingFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "SHARING";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    GpuRequest.Kind kind = member.gpu().kind();
    boolean shared = kind == GpuRequest.Kind.FRACTION || kind == GpuRequest.Kind.MEMORY;
    return !shared || cluster.capabilities().sharing();
  }
}
