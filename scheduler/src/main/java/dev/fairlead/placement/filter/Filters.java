package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
import dev.fairlead.placement.shape.MemberShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All filters in the order in which they are counted: a node counts for the first that refuses it.
 */
public final class Filters {
  private static final List<StandingFilter> STANDING =
      List.of(new ClusterStateFilter(), new NodeStateFilter(), new TaintFilter());

  private static final List<NodeFilter> BY_MEMBER =
      List.of(
          new SharingFilter(),
          new MigFilter(),
          new FabricFilter(),
          new NumaFilter(),
          new GpuModelFilter(),
          new GpuMemoryFilter(),
          new GpuOnlyFilter(),
          new LabelFilter());

  private Filters() {}

  /** Whether the node takes anything at all now. */
  public static boolean standing(Cluster cluster, Node node) {
    for (StandingFilter filter : STANDING) {
      if (!filter.admits(cluster, node)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a node could take the member, apart from its state and its room. */
  public static boolean admit(Cluster cluster, Node node, MemberShape member) {
    for (NodeFilter filter : BY_MEMBER) {
      if (!filter.admits(cluster, node, member)) {
        return false;
      }
    }
    return true;
  }

  /** The constraint that refuses the node first, null for none. */
  public static @Nullable String refusing(Cluster cluster, Node node, MemberShape member) {
    for (StandingFilter filter : STANDING) {
      if (!filter.admits(cluster, node)) {
        return filter.constraint();
      }
    }
    for (NodeFilter filter : BY_MEMBER) {
      if (!filter.admits(cluster, node, member)) {
        return filter.constraint();
      }
    }
    return null;
  }
}
