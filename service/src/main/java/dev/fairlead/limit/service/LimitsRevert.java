package dev.fairlead.limit.service;

import dev.fairlead.audit.ConfigKind;
import dev.fairlead.audit.ConfigRevert;
import dev.fairlead.audit.RevertRequest;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.tenant.TenantStore;
import org.springframework.stereotype.Component;

/** Takes changes of limits back. */
@Component
public class LimitsRevert implements ConfigRevert {
  private final LimitCommands limits;
  private final TenantStore tenants;

  public LimitsRevert(LimitCommands limits, TenantStore tenants) {
    this.limits = limits;
    this.tenants = tenants;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.LIMITS;
  }

  @Override
  public void revert(RevertRequest request) {
    SetLimits to = request.before(SetLimits.class);
    SetLimits from = request.after(SetLimits.class);
    String project =
        to.project() == null
            ? null
            : tenants
                .project(request.actor().tenant(), to.project())
                .orElseThrow(RevertRequest::gone)
                .name();
    LimitsView _ =
        limits.update(
            request.actor(), project, to.values(), request.expected(from.version()), false);
  }
}
