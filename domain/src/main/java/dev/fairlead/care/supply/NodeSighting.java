package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * The observed state of a node on its cluster.
 *
 * @param takes whether it accepts jobs
 * @param used whether a job runs on it, has a reservation on it, or it is a spare
 * @param difference from the request, null if none
 * @param foreign whether it cannot belong to the request, regardless of the provisioner's report
 * @param cordoned whether it is cordoned or drained
 */
public record NodeSighting(
    NodeId id,
    boolean takes,
    boolean used,
    @Nullable String difference,
    boolean foreign,
    boolean cordoned) {}
