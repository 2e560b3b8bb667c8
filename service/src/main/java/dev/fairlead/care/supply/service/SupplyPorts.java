package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.Autoscalers;
import dev.fairlead.care.supply.NodeDemand;
import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.fleet.node.CapacityReservations;
import org.springframework.stereotype.Component;

/** Ports that {@link SupplyLoop} uses to decide and to act. */
@Component
public record SupplyPorts(
    NodeProvisioner provisioner,
    Autoscalers autoscalers,
    NodeDemand demand,
    CapacityReservations rooms) {
  SupplyAnswer ask(SupplyCall call) {
    return switch (call.supply().provisioner()) {
      case Supply.Webhook _ -> provisioner.ask(call);
      case Supply.ProvisioningClass _ -> autoscalers.ask(call);
    };
  }
}
