package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An incident of all nodes of an attempt that stopped sending signs of life. It ends immediately,
 * because the attempt is stopped, and takes no node out of service, because the faulty machine is
 * unknown.
 *
 * @param attempt text of its id
 * @param nodes on which it had members, with their names at that time
 * @param since time of its last sign of life
 * @param at when the hang was detected
 */
@RecordBuilder
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
