package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.shape.AntiAffinity;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Classes of the jobs on a node, and the classes that they avoid, each with its count. */
final class NodeJobClasses {
  private final SortedMap<String, Integer> classes = new TreeMap<>();
  private final SortedMap<String, Integer> avoided = new TreeMap<>();

  /**
   * Returns whether no job on the node avoids the newcomer and the newcomer avoids none of them.
   */
  boolean admits(AntiAffinity newcomer) {
    if (newcomer.any() || classes.isEmpty() && avoided.isEmpty()) {
      return true;
    }
    String own = newcomer.jobClass();
    return (own == null || !avoided.containsKey(own))
        && Collections.disjoint(newcomer.avoids(), classes.keySet());
  }

  /** Adds (sign 1) or removes (sign -1) a member. */
  void move(AntiAffinity antiAffinity, int sign) {
    if (antiAffinity.jobClass() != null) {
      count(classes, antiAffinity.jobClass(), sign);
    }
    antiAffinity.avoids().forEach(avoids -> count(avoided, avoids, sign));
  }

  private static void count(SortedMap<String, Integer> of, String name, int by) {
    if (of.merge(name, by, Integer::sum) == 0) {
      of.remove(name);
    }
  }
}
