package dev.fairlead.fleet.node;

/** A node that somebody here keeps, or kept until now, out of use. */
public record CordonedNode(NodeId id, String name, Cordon cordon) {}
