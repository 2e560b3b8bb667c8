package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import org.springframework.stereotype.Component;

/** Reverts changes of quotas between tenants. */
@Component
public class FleetQuotaRevert implements ConfigRevert {
  private final FleetQuotas quotas;

  public FleetQuotaRevert(FleetQuotas quotas) {
    this.quotas = quotas;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.FLEET_QUOTA;
  }

  @Override
  public void revert(RevertRequest request) {
    QuotaNode to = request.before(QuotaNode.class);
    QuotaNode from = request.after(QuotaNode.class);
    String tenant = FleetQuotas.tenantOf(request.of().change().name());
    FleetQuotaView now = quotas.one(request.actor(), tenant);
    long expected = request.expected(now.node().version(), from.version());
    FleetQuotaView _ =
        quotas.update(request.actor(), tenant, to.weight(), to.limits(), expected, false);
  }
}
