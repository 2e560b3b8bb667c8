package dev.fairlead.quota;

/**
 * What a node of the tree counts as used of a cell, in base units: its own use and what its
 * children take beyond their own.
 */
public record QuotaUse(QuotaNodeId node, QuotaCell cell, long used) {}
