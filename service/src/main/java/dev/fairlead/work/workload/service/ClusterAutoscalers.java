package dev.fairlead.work.workload.service;

import dev.fairlead.care.supply.Autoscalers;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import org.springframework.stereotype.Component;

/** {@link Autoscalers} through the gateways of this process. */
@Component
public class ClusterAutoscalers implements Autoscalers {
  private final ClusterConnections gateways;

  public ClusterAutoscalers(ClusterConnections gateways) {
    this.gateways = gateways;
  }

  @Override
  public SupplyAnswer ask(SupplyCall call) {
    return gateways
        .of(call.request().asked().cluster())
        .map(gateway -> gateway.supply(call))
        .orElseGet(() -> new SupplyAnswer.Unanswered("the cluster is disabled"));
  }
}
