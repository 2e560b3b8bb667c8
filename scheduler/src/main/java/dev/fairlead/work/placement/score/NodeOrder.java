package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.ledger.NodeCapacity;
import java.util.Comparator;

/** Orders of nodes that fit: the first is taken. */
public final class NodeOrder {
  /** Best fit: fewest free whole GPUs, then least idle GPU, least idle cpu, name. */
  public static final Comparator<NodeCapacity> FULLEST_FIRST =
      Comparator.comparingInt((NodeCapacity r) -> r.slots().freeWhole())
          .thenComparingLong(r -> r.slots().idleMilli())
          .thenComparingLong(NodeCapacity::freeCpuMilli)
          .thenComparingInt(NodeCapacity::rank);

  private NodeOrder() {}
}
