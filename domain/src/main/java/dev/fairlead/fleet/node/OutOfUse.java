package dev.fairlead.fleet.node;

import java.util.SortedSet;

/** Nodes that maintenance excludes from use. */
public interface OutOfUse {
  /** Returns the current nodes of all clusters. */
  SortedSet<NodeId> nodes();
}
