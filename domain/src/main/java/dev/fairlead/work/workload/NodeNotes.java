package dev.fairlead.work.workload;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** What came of a look at our annotations of a node, which may change them. */
public sealed interface NodeNotes {
  /**
   * They are there.
   *
   * @param notes those of {@link RepairNotes#PREFIX} that the node has now
   */
  record Shown(SortedMap<String, String> notes) implements NodeNotes {
    public Shown {
      notes = Collections.unmodifiableSortedMap(new TreeMap<>(notes));
    }
  }

  /**
   * They are not, or it is not known.
   *
   * @param why for people: no right to, no such node, no answer
   */
  record Not(String why) implements NodeNotes {}
}
