package dev.fairlead.fleet.node;

import java.util.List;

/**
 * Nodes that are not retired, for readers that poll. Reading unchanged nodes again costs nothing,
 * so each reader has its own instance and requests one view after another.
 */
public interface ActiveNodes {
  /** Returns all active nodes by id. The list is the same object if none changed. */
  List<Node> nodes();

  /**
   * Returns the number of nodes in earlier views that were stale because a change wrote no note.
   */
  long lostNotes();
}
