package dev.fairlead.supply.service;

import dev.fairlead.node.KeptCapacity;
import dev.fairlead.supply.NodeDemand;
import dev.fairlead.supply.NodeSupplier;
import org.springframework.stereotype.Component;

/** What decides and what acts around {@link SupplyLoop}. */
@Component
public record SupplyPorts(NodeSupplier supplier, NodeDemand demand, KeptCapacity rooms) {}
