package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An incident of all nodes of an attempt that fell silent. It is over at once, since the attempt is
 * stopped, and takes no node out of use: which machine is at fault is not known.
 *
 * @param attempt text of its id
 * @param nodes on which it had members, with the names that they had then
 * @param since when it was last heard of
 * @param at when it was found to hang
 */
public record Hang(
    IncidentId id,
    ClusterId cluster,
    JobId job,
    String attempt,
    SortedMap<NodeId, String> nodes,
    String cause,
    Instant since,
    Instant at) {
  public Hang {
    nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
  }
}
