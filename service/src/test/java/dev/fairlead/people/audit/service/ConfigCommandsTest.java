package dev.fairlead.people.audit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthHistory;
import dev.fairlead.care.health.HealthRule;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.service.HealthRuleRevert;
import dev.fairlead.care.health.service.HealthTable;
import dev.fairlead.care.health.service.RuleBreakers;
import dev.fairlead.care.health.service.Rules;
import dev.fairlead.care.healthtest.service.HealthTests;
import dev.fairlead.fleet.cluster.service.PoolCommands;
import dev.fairlead.fleet.cluster.service.PoolDraft;
import dev.fairlead.fleet.cluster.service.PoolRevert;
import dev.fairlead.fleet.cluster.service.PoolView;
import dev.fairlead.fleet.cluster.service.Pools;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.service.LicenceView;
import dev.fairlead.fleet.licence.service.Licences;
import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.service.LimitCommands;
import dev.fairlead.fleet.limit.service.LimitSettings;
import dev.fairlead.fleet.limit.service.LimitsView;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.service.FleetQuotaRevert;
import dev.fairlead.fleet.quota.service.FleetQuotas;
import dev.fairlead.fleet.quota.service.QueueRevert;
import dev.fairlead.fleet.quota.service.QuotaDraft;
import dev.fairlead.fleet.quota.service.QuotaView;
import dev.fairlead.fleet.quota.service.Quotas;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.service.BudgetCommands;
import dev.fairlead.money.budget.service.BudgetRevert;
import dev.fairlead.money.budget.service.Budgets;
import dev.fairlead.money.usage.UsageLabelStore;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.service.UsageLabelCommands;
import dev.fairlead.money.usage.service.UsageLabelsRevert;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.project.service.NewProjects;
import dev.fairlead.people.project.service.ProjectRevert;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.project.service.TenantRevert;
import dev.fairlead.people.project.service.Tenants;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reverts of configuration changes. */
class ConfigCommandsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor admin = new Actor(world.tenant().id(), "root", Role.ADMIN);
  private final Idempotency once = new Idempotency(stores.idempotency());
  private final Quotas quotas =
      new Quotas(
          stores.transactions(),
          stores.quotas(),
          stores.tenants(),
          once,
          stores.audit(),
          stores.ids());
  private final LimitCommands limits =
      new LimitCommands(
          stores.transactions(),
          stores.configs(),
          stores.tenants(),
          stores.audit(),
          new LimitSettings(0));
  private final Tenants tenants =
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
  private final Projects projects =
      new Projects(
          stores.transactions(),
          stores.tenants(),
          stores.quotas(),
          new NewProjects(
              stores.tenants(), stores.leases(), () -> new LimitBook(List.of(), 0), stores.ids()),
          once,
          stores.removals(),
          stores.volumes(),
          stores.transfers(),
          stores.legalHolds(),
          stores.healthTests(),
          stores.jobs(),
          stores.audit());
  private final Pools pools =
      new Pools(
          stores.transactions(), stores.pools(), stores.inventory(), stores.tenants(), List::of);
  private final PoolCommands poolCommands =
      new PoolCommands(
          stores.transactions(),
          stores.pools(),
          stores.inventory(),
          _ -> Optional.empty(),
          pools,
          once,
          stores.audit(),
          stores.ids());
  private final Licences licences =
      new Licences(
          stores.transactions(),
          stores.licences(),
          stores.configs(),
          stores.inventory(),
          stores.audit());
  private final HealthTable table =
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
  private final ConfigQueries queries = new ConfigQueries(stores.transactions(), stores.audit());
  private final ConfigCommands reverts = reverts();

  private ConfigCommands reverts() {
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
            new Unused(ConfigKind.MODEL_SERVICE),
            new Unused(ConfigKind.POLICY),
            new Unused(ConfigKind.SCHEDULE),
            new Unused(ConfigKind.TEMPLATE),
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
                    none(UsageStore.class),
                    stores.transactions(),
                    stores.audit()))));
  }

  /** Webhooks revert by their own tests. */
  private record Unused(ConfigKind kind) implements ConfigRevert {
    @Override
    public void revert(RevertRequest request) {
      throw new AssertionError(kind);
    }
  }

  /** A store that no test here calls. */
  private static <T> T none(Class<T> store) {
    return store.cast(
        Proxy.newProxyInstance(
            store.getClassLoader(),
            new Class<?>[] {store},
            (_, method, _) -> {
              throw new AssertionError(method);
            }));
  }

  private QuotaNode queue() {
    return quotas.named(admin, world.queue().name()).node();
  }

  private long weighs(long weight) {
    QuotaNode now = queue();
    QuotaView _ =
        quotas.update(
            admin,
            now.name(),
            new QuotaDraft(
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

  private long newest() {
    return queries.newest(admin, null, null, Long.MAX_VALUE, 1).getFirst().version();
  }

  private void refused(long version, ProblemCode code, String... words) {
    assertThatThrownBy(() -> reverts.revert(admin, version, false, false))
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContainingAll(words);
  }

  @Test
  void aQueueIsAgainWhatItWas() {
    QuotaNode first = queue();
    long version = weighs(7);

    Actor why = admin.because(new Cause("a mistake", null));
    ConfigVersion made = reverts.revert(why, version, false, false);

    QuotaNode now = queue();
    assertThat(now.weight()).isEqualTo(first.weight());
    assertThat(now.usageHalfLife()).isEqualTo(first.usageHalfLife());
    assertThat(now.version()).isEqualTo(first.version() + 2);
    assertThat(made.version()).isEqualTo(newest());
    assertThat(made.operation()).isEqualTo("updateQuota");
    assertThat(made.cause()).isEqualTo(new Cause("a mistake", version));
    long back = made.version();
    ConfigVersion again = reverts.revert(admin, back, false, false);
    assertThat(again.cause().reverts()).isEqualTo(back);
    assertThat(queue().weight()).isEqualTo(7);
  }

  @Test
  void aTrialChangesNothing() {
    long version = weighs(7);

    ConfigVersion tried = reverts.revert(admin, version, false, true);

    assertThat(tried.cause().reverts()).isEqualTo(version);
    assertThat(queue().weight()).isEqualTo(7);
    assertThat(newest()).isEqualTo(version);
  }

  /** Fails when later changes are lost unasked. */
  @Test
  void whatWasChangedSinceIsRefusedUnlessForced() {
    long first = weighs(7);
    long second = weighs(9);

    refused(first, ProblemCode.VERSION_MISMATCH, second + " (updateQuota, root)", "force=true");
    assertThat(queue().weight()).isEqualTo(9);
    ConfigVersion made = reverts.revert(admin, first, true, false);
    assertThat(made.cause().reverts()).isEqualTo(first);
    assertThat(queue().weight()).isEqualTo(world.queue().weight());
  }

  /** Fails when a change that this history does not have is written over. */
  @Test
  void aChangePastTheHistoryIsRefusedToo() {
    long version = weighs(7);
    QuotaNode now = queue();
    stores
        .transactions()
        .run(() ->
            stores
                .quotas()
                .update(
                    new QuotaNode(
                        now.id(),
                        now.tenant(),
                        now.name(),
                        now.parent(),
                        now.depth(),
                        12,
                        now.limits(),
                        now.preemption(),
                        now.queue(),
                        now.version() + 1)));

    refused(version, ProblemCode.VERSION_MISMATCH, "that this history does not have");
  }

  @Test
  void limitsAreAgainWhatTheyWere() {
    for (@Nullable String project : Arrays.asList(null, world.project().name())) {
      LimitsView before = limits.view(admin, project);
      LimitsView _ =
          limits.update(admin, project, new TreeMap<>(Map.of(Limit.ACTIVE_JOBS, 5L)), null, false);

      ConfigVersion _ = reverts.revert(admin, newest(), false, false);

      assertThat(limits.view(admin, project).effective()).isEqualTo(before.effective());
    }
  }

  @Test
  void aPoolIsAgainWhatItWas() {
    PoolSelector gpus =
        new PoolSelector(List.of(), List.of("H100"), new TreeMap<>(Map.of("room", "2")), List.of());
    PoolWindows nights =
        new PoolWindows(
            List.of(
                new RecurringWindow(
                    Cron.parse("0 22 * * *"), Duration.ofHours(8), ZoneId.of("Europe/Berlin"))),
            Duration.ZERO,
            PoolWindows.NONE.leftoverPolicy(),
            Duration.ZERO);
    PoolDraft draft =
        new PoolDraft("night", world.tenant().name(), gpus, "", new Spares(1, 8), nights);
    PoolView made = poolCommands.create(admin, draft, null, false);
    PoolView changed =
        poolCommands.update(
            admin,
            "night",
            new PoolDraft("night", null, gpus, "open", Spares.NONE, PoolWindows.NONE),
            made.pool().version(),
            false);

    ConfigVersion _ = reverts.revert(admin, newest(), false, false);

    assertThat(pools.named(admin, "night").pool())
        .isEqualTo(changed.pool().with(world.tenant().id(), gpus, "", new Spares(1, 8), nights));
  }

  @Test
  void aLicenceAProjectAndATenantAreAgainWhatTheyWere() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    ConfigVersion _ = reverts.revert(admin, newest(), false, false);
    assertThat(licences.all(admin).getFirst().count()).isEqualTo(3);

    String name = world.project().name();
    Project was = projects.named(admin, name);
    Egress other = Egress.strict(List.of("10.0.0.0/8"));
    IdlePolicy idle =
        new IdlePolicy(5, Duration.ofMinutes(30), null, new TreeMap<>(Map.of("keep", "yes")));
    Projects.Change change =
        new Projects.Change(null, other, new Projects.Change.Idle(idle), "CC-1");
    Project _ = projects.update(admin, name, change, null, false);
    ConfigVersion back = reverts.revert(admin, newest(), false, false);
    assertThat(projects.named(admin, name).egress()).isEqualTo(was.egress());
    assertThat(projects.named(admin, name).idle()).isNull();
    assertThat(projects.named(admin, name).costCentre()).isNull();
    ConfigVersion _ = reverts.revert(admin, back.version(), false, false);
    assertThat(projects.named(admin, name).egress()).isEqualTo(other);
    assertThat(projects.named(admin, name).idle()).isEqualTo(idle);
    assertThat(projects.named(admin, name).costCentre()).isEqualTo("CC-1");

    Tenant _ = tenants.update(admin, "Research", null, false);
    ConfigVersion _ = reverts.revert(admin, newest(), false, false);
    assertThat(tenants.current(admin).displayName()).isEqualTo(world.tenant().displayName());
  }

  /** Fails when a change of a licence from another tenant is overwritten. */
  @Test
  void aLicenceThatWasChangedFromAnotherTenantIsRefused() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    long version = newest();
    Actor elsewhere = admin.in(TestWorld.in(stores).tenant().id());
    LicenceView _ = licences.put(elsewhere, new Licence("ansys", 8), false);

    refused(version, ProblemCode.VERSION_MISMATCH, "that this history does not have");
  }

  /** Fails when a licence that by chance has its earlier count again counts as unchanged. */
  @Test
  void aLicenceThatCameBackToItsCountIsRefused() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    long version = newest();
    LicenceView _ = licences.put(admin, new Licence("ansys", 8), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);

    refused(version, ProblemCode.VERSION_MISMATCH, newest() + " (putLicence, root)");
  }

  @Test
  void whatWasMadeOrRemovedStays() {
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    refused(newest(), ProblemCode.ILLEGAL_STATE, "deletes nothing");
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    long changed = newest();
    licences.delete(admin, "ansys", false);
    refused(newest(), ProblemCode.ILLEGAL_STATE, "makes nothing again");
    assertThatThrownBy(() -> reverts.revert(admin, changed, true, false))
        .hasMessageContaining("no longer exists");
    assertThat(licences.all(admin)).isEmpty();
  }

  private long stored(ConfigKind kind, @Nullable Object before) {
    stores
        .audit()
        .append(
            new AuditRecord(admin, "update", "x", true, new TreeMap<>())
                .kept(kind, world.queue().name(), before, Map.of("of", "after")));
    return newest();
  }

  /** Fails when half of a document that a later version wrote is applied. */
  @Test
  void aDocumentOfAnotherVersionAndAPriceAreRefused() {
    refused(
        stored(ConfigKind.QUEUE, Map.of("of", "before")),
        ProblemCode.ILLEGAL_STATE,
        "another version of");
    refused(stored(ConfigKind.PRICE, null), ProblemCode.ILLEGAL_STATE, "never changes");
    assertThat(queue()).isEqualTo(world.queue());
  }

  /** Fails when a version of another tenant is reverted, or one without its permission. */
  @Test
  void theWallsAreThoseOfTheChangeItself() {
    long version = weighs(7);
    Actor elsewhere = new Actor(TestWorld.in(stores).tenant().id(), "eve", Role.TENANT_OWNER);
    denied(elsewhere, version, ProblemCode.NOT_FOUND);
    denied(in(Role.TENANT_MEMBER), version, ProblemCode.FORBIDDEN);
    denied(in(Role.AUDITOR), version, ProblemCode.FORBIDDEN);
    Tenant _ = tenants.update(admin, "Research", null, false);
    denied(in(Role.TENANT_OWNER), newest(), ProblemCode.NOT_FOUND);
    LicenceView _ = licences.put(admin, new Licence("ansys", 3), false);
    LicenceView _ = licences.put(admin, new Licence("ansys", 5), false);
    denied(in(Role.TENANT_OWNER), newest(), ProblemCode.FORBIDDEN);
    assertThat(queue().weight()).isEqualTo(7);
  }

  private Actor in(Role role) {
    return new Actor(world.tenant().id(), "ana", role);
  }

  private void denied(Actor actor, long version, ProblemCode code) {
    assertThatThrownBy(() -> reverts.revert(actor, version, true, false))
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  /** Fails when a fault rule is not reverted, or the shipped rule is stored as a change. */
  @Test
  void aRuleForAFaultIsAgainWhatItWas() {
    Xid shipped = XidTable.SHIPPED.find(31).orElseThrow();
    HealthTable.Row _ =
        table.update(admin, shipped.isolating(FaultScope.GPU, true), null, false, false);
    assertThat(stores.health().table().find(31)).isNotEqualTo(Optional.of(shipped));

    ConfigVersion _ = reverts.revert(admin, newest(), false, false);

    assertThat(stores.health().rules()).singleElement().matches(HealthRule::shipped);
    assertThat(stores.health().table().find(31)).contains(shipped);
  }
}
