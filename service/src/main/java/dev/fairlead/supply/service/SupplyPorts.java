package dev.fairlead.supply.service;

import dev.fairlead.node.KeptCapacity;
import dev.fairlead.supply.Autoscalers;
import dev.fairlead.supply.NodeDemand;
import dev.fairlead.supply.NodeSupplier;
import dev.fairlead.supply.Supply;
import dev.fairlead.supply.SupplyAnswer;
import dev.fairlead.supply.SupplyCall;
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
