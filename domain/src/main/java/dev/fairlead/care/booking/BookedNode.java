package dev.fairlead.care.booking;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;

/** A node of a booking, as it was called when it was booked. */
public record BookedNode(NodeId id, ClusterId cluster, String name) {}
