package dev.fairlead.work.workload;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Result of reading or writing our annotations of a node. */
public sealed interface NodeNotes {
  /**
   * The notes are written.
   *
   * @param notes current annotations of the node under {@link RepairNotes#PREFIX}
   */
  record Shown(SortedMap<String, String> notes) implements NodeNotes {
    public Shown {
      notes = Collections.unmodifiableSortedMap(new TreeMap<>(notes));
    }
  }

  /**
   * The annotations are missing or unknown.
   *
   * @param why human-readable: no right to, no such node, no response
   */
  record Not(String why) implements NodeNotes {}
}
