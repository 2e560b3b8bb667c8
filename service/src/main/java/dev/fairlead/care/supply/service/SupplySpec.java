package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.Supply;
import java.time.Duration;

/**
 * Request to set a supply.
 *
 * @param cluster name or id
 */
public record SupplySpec(
    String cluster,
    NodeKind kind,
    int maxNodes,
    Duration releaseAfter,
    Duration readyWithin,
    Supply.Provisioner provisioner) {}
