package dev.fairlead.work.placement.ledger;

import java.util.SortedMap;

/**
 * How the nodes of a cluster stand to one member at one moment.
 *
 * @param admitting open nodes of the model that take it if they have room
 * @param fits members that fit on these together, topology left aside
 * @param mostWhole GPUs that are free as a whole on the emptiest of these
 * @param filtered other nodes, by the constraint that refuses them first
 * @param exhausted of the admitting nodes without room, how many are short of each resource
 */
public record FitSummary(
    int admitting,
    int fits,
    int mostWhole,
    SortedMap<String, Integer> filtered,
    SortedMap<String, Integer> exhausted) {}
