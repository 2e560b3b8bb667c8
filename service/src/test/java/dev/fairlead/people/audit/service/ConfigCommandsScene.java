package dev.fairlead.people.audit.service;

import dev.fairlead.care.health.HealthHistory;
import dev.fairlead.care.health.service.HealthRuleRevert;
import dev.fairlead.care.health.service.HealthTable;
import dev.fairlead.care.health.service.RuleBreakers;
import dev.fairlead.care.health.service.Rules;
import dev.fairlead.care.healthtest.service.HealthTests;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.cluster.service.PoolCommands;
import dev.fairlead.fleet.cluster.service.PoolRevert;
import dev.fairlead.fleet.cluster.service.Pools;
import dev.fairlead.fleet.licence.service.Licences;
import dev.fairlead.fleet.limit.service.LimitCommands;
import dev.fairlead.fleet.limit.service.LimitSettings;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.service.FleetQuotaRevert;
import dev.fairlead.fleet.quota.service.FleetQuotas;
import dev.fairlead.fleet.quota.service.QueueRevert;
import dev.fairlead.fleet.quota.service.QuotaSpec;
import dev.fairlead.fleet.quota.service.QuotaView;
import dev.fairlead.fleet.quota.service.Quotas;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.service.BudgetCommands;
import dev.fairlead.money.budget.service.BudgetRevert;
import dev.fairlead.money.budget.service.Budgets;
import dev.fairlead.money.usage.UsageLabelStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.service.UsageLabelCommands;
import dev.fairlead.money.usage.service.UsageLabelsRevert;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.project.service.ProjectRevert;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.project.service.TenantRevert;
import dev.fairlead.people.project.service.Tenants;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Commands that change configuration, and their reverts. */
abstract class ConfigCommandsScene {

  final MemoryStores stores = MemoryStores.empty(1);
  final TestWorld world = TestWorld.in(stores);
  final Actor admin = new Actor(world.tenant().id(), "root", Role.ADMIN);
  final Idempotency once = new Idempotency(stores.idempotency());
  final Quotas quotas =
      new Quotas(
          stores.transactions(),
          stores.quotas(),
          stores.tenants(),
          once,
          stores.audit(),
          stores.ids());
  final LimitCommands limits =
      new LimitCommands(
          stores.transactions(),
          stores.configs(),
          stores.tenants(),
          stores.audit(),
          new LimitSettings(0));
  final Tenants tenants =
      new Tenants(
          stores.transactions(),
          stores.tenants(),
          stores.quotas(),
          stores.volumes(),
          stores.legalHolds(),
          stores.leases(),
          once,
          stores.audit(),
          stores.ids());
  final Projects projects = ServiceParts.projects(stores, once);
  final Pools pools =
      new Pools(
          stores.transactions(), stores.pools(), stores.inventory(), stores.tenants(), List::of);
  final PoolCommands poolCommands =
      new PoolCommands(
          stores.transactions(),
          stores.pools(),
          stores.inventory(),
          _ -> Optional.empty(),
          pools,
          once,
          stores.audit(),
          stores.ids());
  final Licences licences =
      new Licences(
          stores.transactions(),
          stores.licences(),
          stores.configs(),
          stores.inventory(),
          stores.audit());
  final HealthTable table =
      new HealthTable(
          stores.transactions(),
          stores.health(),
          new Rules(
              (xid, since, most) -> new HealthHistory.Excerpt(List.of(), since),
              stores.health(),
              stores.inventory(),
              new RuleBreakers(stores.inventory(), stores.health()),
              stores.clock()),
          stores.audit());
  final ConfigQueries queries = new ConfigQueries(stores.transactions(), stores.audit());
  final ConfigCommands reverts = reverts();

  ConfigCommands reverts() {
    BudgetStore none = none(BudgetStore.class);
    Budgets budgets = new Budgets(stores.transactions(), none, stores.tenants(), stores.quotas());
    BudgetCommands budgetCommands =
        new BudgetCommands(
            stores.transactions(),
            none,
            budgets,
            once,
            stores.prices(),
            stores.audit(),
            stores.ids());
    return new ConfigCommands(
        stores.transactions(),
        queries,
        List.of(
            new QueueRevert(quotas),
            limits,
            new BudgetRevert(budgets, budgetCommands),
            new ProjectRevert(projects, stores.quotas()),
            new TenantRevert(tenants),
            new FleetQuotaRevert(
                new FleetQuotas(
                    stores.transactions(),
                    stores.fleetQuotas(),
                    stores.forest(),
                    stores.tenants(),
                    stores.audit())),
            new PoolRevert(pools, poolCommands, stores.tenants()),
            licences,
            new Unused(ConfigKind.CLOUD_IDENTITY),
            new Unused(ConfigKind.MODEL_SERVICE),
            new Unused(ConfigKind.POLICY),
            new Unused(ConfigKind.SCHEDULE),
            new Unused(ConfigKind.TEMPLATE),
            new Unused(ConfigKind.WARM_POOL),
            new Unused(ConfigKind.WEBHOOK),
            new HealthRuleRevert(table),
            new HealthTests(
                stores.transactions(),
                stores.healthTests(),
                stores.configs(),
                stores.inventory(),
                none(JobSubmits.class),
                stores.audit(),
                stores.ids(),
                stores.clock()),
            new UsageLabelsRevert(
                new UsageLabelCommands(
                    none(UsageLabelStore.class),
                    none(UseLedger.class),
                    stores.transactions(),
                    stores.audit()))));
  }

  /** Webhooks revert by their own tests. */
  record Unused(ConfigKind kind) implements ConfigRevert {
    @Override
    public void revert(RevertRequest request) {
      throw new AssertionError(kind);
    }
  }

  /** A store that these tests do not call. */
  static <T> T none(Class<T> store) {
    return store.cast(
        Proxy.newProxyInstance(
            store.getClassLoader(),
            new Class<?>[] {store},
            (_, method, _) -> {
              throw new AssertionError(method);
            }));
  }

  QuotaNode queue() {
    return quotas.named(admin, world.queue().name()).node();
  }

  long weighs(long weight) {
    QuotaNode now = queue();
    QuotaView _ =
        quotas.update(
            admin,
            now.name(),
            new QuotaSpec(
                now.name(),
                null,
                weight,
                now.limits(),
                PreemptionRules.NONE,
                QueueSettings.DEFAULT,
                SharePolicy.DOMINANT_SHARE,
                Duration.ofDays(2)),
            now.version(),
            false);
    return newest();
  }

  long newest() {
    return queries.newest(admin, null, null, Long.MAX_VALUE, 1).getFirst().version();
  }

  Actor in(Role role) {
    return new Actor(world.tenant().id(), "ana", role);
  }
}
