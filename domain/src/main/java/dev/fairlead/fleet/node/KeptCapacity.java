package dev.fairlead.fleet.node;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is kept of nodes for jobs that have not started there yet. */
public interface KeptCapacity {
  /** Of all tenants. */
  List<Kept> kept();

  /**
   * A part of a node that is kept.
   *
   * @param milli thousandths of its GPUs, by index
   * @param ordered whether its holder was ordered to leave, or tests it, so that it comes free soon
   */
  record Kept(NodeId node, SortedMap<Integer, Integer> milli, boolean ordered) {
    public Kept {
      milli = Collections.unmodifiableSortedMap(new TreeMap<>(milli));
    }
  }
}
