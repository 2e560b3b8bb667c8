package dev.fairlead.fleet.node;

/** A node that is, or recently was, cordoned in Fairlead. */
public record CordonedNode(NodeId id, String name, Cordon cordon) {}
