package dev.fairlead.quota;

/** Use to be added to a queue (positive) or given back (negative). */
public record QuotaCharge(QuotaNodeId queue, QuotaCell cell, long amount) {}
