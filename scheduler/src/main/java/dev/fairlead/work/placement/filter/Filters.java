package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All filters in counting order. A node counts for the first filter that refuses it. */
public final class Filters {
  private static final List<StandingFilter> STANDING =
      List.of(new ClusterStateFilter(), new NodeStateFilter(), new TaintFilter());

  private static final List<NodeFilter> BY_MEMBER =
      List.of(
          new ContainerFilter(),
          new BackendFilter(),
          new SharingFilter(),
          new MigFilter(),
          new FabricFilter(),
          new NumaFilter(),
          new GpuModelFilter(),
          new GpuMemoryFilter(),
          new GpuOnlyFilter(),
          new LabelFilter(),
          new AdvanceReservationFilter());

  private Filters() {}

  /** Returns whether the node accepts any new member now. */
  public static boolean standing(Cluster cluster, Node node) {
    return standingConstraint(cluster, node) == null;
  }

  /** Returns whether a node could take the member, ignoring its state and free capacity. */
  public static boolean admit(Cluster cluster, Node node, MemberShape member) {
    return refusingMember(cluster, node, member) < 0;
  }

  /** Returns the position of the first filter that refuses the member, -1 if none does. */
  public static int refusingMember(Cluster cluster, Node node, MemberShape member) {
    for (int i = 0; i < BY_MEMBER.size(); i++) {
      if (!BY_MEMBER.get(i).admits(cluster, node, member)) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the number of positions that {@link #refusingMember} uses. */
  public static int count() {
    return BY_MEMBER.size();
  }

  /** Returns the constraint name of the filter at a position of {@link #refusingMember}. */
  public static String constraint(int position) {
    return BY_MEMBER.get(position).constraint();
  }

  /** Returns the constraint that closes the node to all new members now, null if none. */
  public static @Nullable String standingConstraint(Cluster cluster, Node node) {
    for (StandingFilter filter : STANDING) {
      if (!filter.admits(cluster, node)) {
        return filter.constraint();
      }
    }
    return null;
  }
}
