package dev.fairlead.people.project.service;

import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.tenant.Tenant;
import org.springframework.stereotype.Component;

/** Reverts changes of tenants. */
@Component
public class TenantRevert implements ConfigRevert {
  private final Tenants tenants;

  public TenantRevert(Tenants tenants) {
    this.tenants = tenants;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.TENANT;
  }

  @Override
  public void revert(RevertRequest request) {
    Tenant to = request.before(Tenant.class);
    Tenant from = request.after(Tenant.class);
    if (to.state() != from.state() || !to.id().equals(request.actor().tenant())) {
      throw request.refused("archived a tenant, which cannot be undone: create another tenant");
    }
    Tenant _ =
        tenants.update(request.actor(), to.displayName(), request.expected(from.version()), false);
  }
}
