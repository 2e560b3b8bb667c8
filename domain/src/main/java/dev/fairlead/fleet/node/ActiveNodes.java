package dev.fairlead.fleet.node;

import java.util.List;

/**
 * Nodes that are not retired, for readers that look again and again. What does not change costs
 * nothing to read again, so each reader has one of its own and asks for one view after another.
 */
public interface ActiveNodes {
  /** All of them, by id; the same list as before when none changed. */
  List<Node> nodes();

  /** Nodes of earlier views that were out of date because a change left no note. */
  long lostNotes();
}
