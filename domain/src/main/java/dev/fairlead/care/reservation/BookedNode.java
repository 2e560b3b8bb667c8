package dev.fairlead.care.reservation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;

/** A node of an advance reservation, with its name at the time of the advance reservation. */
public record BookedNode(NodeId id, ClusterId cluster, String name) {}
