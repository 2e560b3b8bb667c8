package dev.fairlead.fleet.quota;

/**
 * Demand of a queue's waiting jobs in a cell, from the last scheduling cycle.
 *
 * @param amount base units, at least 1
 */
public record QuotaDemand(QuotaNodeId queue, QuotaCell cell, long amount) {}
