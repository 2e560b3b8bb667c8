package dev.fairlead.fleet.quota;

/**
 * What waiting jobs of a queue ask for of a cell, as the scheduler saw it last.
 *
 * @param amount base units, at least 1
 */
public record QuotaDemand(QuotaNodeId queue, QuotaCell cell, long amount) {}
