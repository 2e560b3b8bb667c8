package dev.fairlead.quota.service;

import dev.fairlead.audit.ConfigKind;
import dev.fairlead.audit.ConfigRevert;
import dev.fairlead.audit.RevertRequest;
import dev.fairlead.quota.QuotaNode;
import org.springframework.stereotype.Component;

/** Takes changes of quotas between tenants back. */
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
