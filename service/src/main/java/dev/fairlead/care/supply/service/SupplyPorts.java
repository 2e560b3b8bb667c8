package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.Autoscalers;
import dev.fairlead.care.supply.NodeDemand;
import dev.fairlead.care.supply.NodeSupplier;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.fleet.node.KeptCapacity;
import org.springframework.stereotype.Component;

/** What decides and what acts around {@link SupplyLoop}. */
@Component
public record SupplyPorts(
    NodeSupplier supplier, Autoscalers autoscalers, NodeDemand demand, KeptCapacity rooms) {
  /** Asks the supplier of the call. */
  SupplyAnswer ask(SupplyCall call) {
    return switch (call.supply().supplier()) {
      case Supply.Webhook _ -> supplier.ask(call);
      case Supply.ProvisioningClass _ -> autoscalers.ask(call);
    };
  }
}
