package dev.fairlead.audit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.audit.AuditRecord;
import dev.fairlead.audit.ConfigKind;
import dev.fairlead.audit.ConfigVersion;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ConfigQueriesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TenantId tenant = TestWorld.in(stores).tenant().id();
  private final ConfigQueries queries = new ConfigQueries(stores.transactions(), stores.audit());

  private List<ConfigVersion> seen(Role role) {
    return queries.newest(actor(role), null, null, Long.MAX_VALUE, 9);
  }

  private Actor actor(Role role) {
    return new Actor(tenant, "ana", role);
  }

  private void changed(String operation) {
    stores
        .audit()
        .append(
            new AuditRecord(actor(Role.ADMIN), operation, "x", true, new TreeMap<>())
                .kept(ConfigKind.QUEUE, "x", null, "x"));
  }

  /** Fails when owners of a tenant read quotas between tenants, or pools of others. */
  @Test
  void anOwnerOfTheTenantSeesNothingOfThePlatform() {
    changed("updateQuota");
    changed("updateFleetQuota");
    changed("createPool");
    changed("createTenant");

    assertThat(seen(Role.TENANT_OWNER))
        .extracting(ConfigVersion::operation)
        .containsExactly("updateQuota");
    List<ConfigVersion> all = seen(Role.AUDITOR);
    assertThat(all).hasSize(4);
    assertThatThrownBy(() -> queries.version(actor(Role.TENANT_OWNER), all.getFirst().version()))
        .isInstanceOf(Refusal.class);
    assertThat(queries.version(actor(Role.ADMIN), all.getFirst().version()))
        .isEqualTo(all.getFirst());
  }
}
