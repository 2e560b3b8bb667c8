package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.node.NodeCapacity;
import java.util.Comparator;

/** Orders of suitable nodes. Chooses the first suitable node. */
public final class NodePreference {
  /** Best fit: fewest free whole GPUs, then least idle GPU, least idle CPU, name. */
  public static final Comparator<NodeCapacity> FULLEST_FIRST =
      Comparator.comparingInt((NodeCapacity r) -> r.slots().freeWhole())
          .thenComparingLong(r -> r.slots().idleMilli())
          .thenComparingLong(NodeCapacity::freeCpuMilli)
          .thenComparingInt(NodeCapacity::rank);

  private NodePreference() {}
}
