package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;
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
          new LabelFilter(),
          new BookingFilter());

  private Filters() {}

  /** Whether the node takes anything at all now. */
  public static boolean standing(Cluster cluster, Node node) {
    return standingConstraint(cluster, node) == null;
  }

  /** Whether a node could take the member, apart from its state and its room. */
  public static boolean admit(Cluster cluster, Node node, MemberShape member) {
    return refusingMember(cluster, node, member) < 0;
  }

  /** Position of the filter that refuses the member first, -1 for none. */
  public static int refusingMember(Cluster cluster, Node node, MemberShape member) {
    for (int i = 0; i < BY_MEMBER.size(); i++) {
      if (!BY_MEMBER.get(i).admits(cluster, node, member)) {
        return i;
      }
    }
    return -1;
  }

  /** How many positions {@link #refusingMember} returns. */
  public static int count() {
    return BY_MEMBER.size();
  }

  /** What the filter at a position of {@link #refusingMember} is counted as. */
  public static String constraint(int position) {
    return BY_MEMBER.get(position).constraint();
  }

  /** The constraint by which the node takes nothing at all now, null for none. */
  public static @Nullable String standingConstraint(Cluster cluster, Node node) {
    for (StandingFilter filter : STANDING) {
      if (!filter.admits(cluster, node)) {
        return filter.constraint();
      }
    }
    return null;
  }
}
