package dev.fairlead.people.audit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ConfigQueriesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TenantId tenant = TestWorld.in(stores).tenant().id();
  private final ConfigQueries queries = new ConfigQueries(stores.transactions(), stores.audit());

  private List<ConfigVersion> seen(Role role) {
    return queries.newest(actor(role), null, null, Long.MAX_VALUE, 99);
  }

  private Actor actor(Role role) {
    return new Actor(tenant, "ana", role);
  }

  private void changed(ConfigKind kind) {
    stores
        .audit()
        .append(
            new AuditRecord(actor(Role.ADMIN), "update", "x", true, new TreeMap<>())
                .kept(kind, "x", null, "x"));
  }

  /** Fails when owners of a tenant read quotas between tenants, or pools of others. */
  @Test
  void tenantOwnerSeesNothingOfThePlatform() {
    List.of(ConfigKind.values()).forEach(this::changed);

    assertThat(seen(Role.TENANT_OWNER))
        .extracting(found -> found.change().kind())
        .containsExactlyInAnyOrder(
            ConfigKind.BUDGET,
            ConfigKind.CLOUD_IDENTITY,
            ConfigKind.LICENCE,
            ConfigKind.LIMITS,
            ConfigKind.MODEL_SERVICE,
            ConfigKind.POLICY,
            ConfigKind.PRICE,
            ConfigKind.PROJECT,
            ConfigKind.QUEUE,
            ConfigKind.USAGE_LABELS,
            ConfigKind.SCHEDULE,
            ConfigKind.TEMPLATE,
            ConfigKind.WARM_POOL,
            ConfigKind.WEBHOOK);
    List<ConfigVersion> all = seen(Role.AUDITOR);
    assertThat(all).hasSameSizeAs(ConfigKind.values());
    ConfigVersion pool = only(ConfigKind.POOL, Role.ADMIN).getFirst();
    assertThat(only(ConfigKind.POOL, Role.TENANT_OWNER)).isEmpty();
    assertThatThrownBy(() -> queries.version(actor(Role.TENANT_OWNER), pool.version()))
        .isInstanceOf(Refusal.class);
    assertThat(queries.version(actor(Role.ADMIN), pool.version())).isEqualTo(pool);
  }

  private List<ConfigVersion> only(ConfigKind kind, Role role) {
    return queries.newest(actor(role), kind, null, Long.MAX_VALUE, 9);
  }
}
