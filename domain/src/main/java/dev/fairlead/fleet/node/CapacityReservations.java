package dev.fairlead.fleet.node;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Capacity of nodes that is reserved for jobs that have not started yet. */
public interface CapacityReservations {
  /** Returns the reserved capacity of all tenants. */
  List<Kept> kept();

  /**
   * Reserved capacity on one node.
   *
   * @param milli thousandths of its GPUs, by index
   * @param ordered whether its current holder was ordered to leave, or tests it, so that it becomes
   *     free soon
   */
  record Kept(NodeId node, SortedMap<Integer, Integer> milli, boolean ordered) {
    public Kept {
      milli = Collections.unmodifiableSortedMap(new TreeMap<>(milli));
    }
  }
}
