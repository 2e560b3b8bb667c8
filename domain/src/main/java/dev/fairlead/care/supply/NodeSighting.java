package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * A node as its cluster shows it now.
 *
 * @param takes whether it takes jobs
 * @param used whether a job runs there, a place is kept there, or it is a spare
 * @param difference in what it is not what was asked for, null in nothing
 * @param foreign whether it cannot have been added for the request, whatever its supplier says
 * @param cordoned whether it is cordoned or drained
 */
public record NodeSighting(
    NodeId id,
    boolean takes,
    boolean used,
    @Nullable String difference,
    boolean foreign,
    boolean cordoned) {}
