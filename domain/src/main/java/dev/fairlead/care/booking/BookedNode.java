package dev.fairlead.care.booking;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;

/** A node of a booking, with its name at the time of the booking. */
public record BookedNode(NodeId id, ClusterId cluster, String name) {}
