package dev.fairlead.booking;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.node.NodeId;

/** A node of a booking, as it was called when it was booked. */
public record BookedNode(NodeId id, ClusterId cluster, String name) {}
