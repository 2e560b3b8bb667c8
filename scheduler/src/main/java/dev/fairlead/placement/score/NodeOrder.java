package dev.fairlead.placement.score;

import dev.fairlead.placement.ledger.Room;
import java.util.Comparator;

/** Orders of nodes that fit: the first is taken. */
public final class NodeOrder {
  /** Best fit: fewest free whole GPUs, then least idle GPU, least idle cpu, name. */
  public static final Comparator<Room> FULLEST_FIRST =
      Comparator.comparingInt((Room r) -> r.slots().freeWhole())
          .thenComparingLong(r -> r.slots().idleMilli())
          .thenComparingLong(Room::freeCpuMilli)
          .thenComparingInt(Room::rank);

  private NodeOrder() {}
}
