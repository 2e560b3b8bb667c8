package dev.fairlead.fleet.node;

import java.util.SortedSet;

/** Nodes that maintenance has out of use. */
public interface OutOfUse {
  /** Of all clusters, as of now. */
  SortedSet<NodeId> nodes();
}
