package dev.fairlead.work.placement.ledger;

import java.util.SortedMap;

/**
 * Ability of a cluster's nodes to take one member at one moment.
 *
 * @param admitting open nodes of the model that accept the member if they have enough free capacity
 * @param fits total number of members that fit on these nodes, ignoring topology
 * @param mostWhole entirely free GPUs on the emptiest of these nodes
 * @param filtered other nodes, by the first constraint that refuses them
 * @param exhausted number of admitting nodes without enough free capacity, by the resource that
 *     they lack
 */
public record FitSummary(
    int admitting,
    int fits,
    int mostWhole,
    SortedMap<String, Integer> filtered,
    SortedMap<String, Integer> exhausted) {}
