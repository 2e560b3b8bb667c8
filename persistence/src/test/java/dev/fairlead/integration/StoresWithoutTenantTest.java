package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.integration.StoreCalls.Call;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Every store method that is called without a tenant, with ids of existing rows. */
class StoresWithoutTenantTest {
  /** Ports without rows of tenants: the fleet, leases, and ports without rows. */
  private static final Set<String> OF_NO_TENANT =
      Set.of(
          "ActiveNodes",
          "ClockStore",
          "Diagnosis",
          "Durability",
          "FleetSource",
          "InventoryStore",
          "LeaseStore",
          "PlaceNotes",
          "SharedKey",
          "Transactions",
          "WakeUps");

  /** For loops, for operators and for signing in: they state that they act for all tenants. */
  private static final Set<String> FOR_ALL_TENANTS =
      Set.of(
          "ActiveJobs",
          "AuditChain",
          "AdvanceReservationStore",
          "BudgetStore",
          "CampaignStore",
          "ConfigStore.all",
          "ConfigStore.byName",
          "ConfigStore.count",
          "Counters",
          "DeviceStore",
          "FleetEvents",
          "FleetQuotaStore",
          "FrontStore",
          "HealthTestStore",
          "HealthHistory",
          "HealthStore",
          "IdleCostStore",
          "KeyRotation",
          "LicenceStore",
          "NamespaceRemovalStore",
          "NodeCleanup",
          "RetentionStore",
          "PriceStore",
          "ProgressStore",
          "QuotaTrees",
          "RepairStore",
          "ReservationStore",
          "SampleStore",
          "SupplyStore",
          "TimelineStore",
          "UsageStore",
          "UseLedger",
          "WaitStore",
          "WorldReader",
          "EfficiencyStore.now",
          "EfficiencyStore.running",
          "EfficiencyStore.write",
          "EventLog.after",
          "EventLog.firstSince",
          "EventLog.floor",
          "EventLog.head",
          "EventLog.oldest",
          "ExplanationStore.expect",
          "ExplanationStore.keep",
          "ExplanationStore.put",
          "JobStore.actionable",
          "JobStore.confinedTo",
          "JobStore.heldUp",
          "JobStore.membersOnGpusOf",
          "JobStore.unretired",
          "LogStore.abandoned",
          "LogStore.addNonce",
          "LogStore.empty",
          "LogStore.endedBefore",
          "LogStore.forget",
          "LogStore.nonces",
          "LogStore.of",
          "LogStore.over",
          "LogStore.removed",
          "LogStore.stored",
          "LogStore.unknown",
          "LogStore.write",
          "MembershipStore.held",
          "OperationStore.running",
          "PoolStore.pool",
          "PoolStore.pools",
          "QuotaStore.demand",
          "ScheduleStore.due",
          "ServiceKeyStore.add",
          "ServiceKeyStore.changes",
          "ServiceKeyStore.gates",
          "ServiceKeyStore.leave",
          "ServiceKeyStore.minutes",
          "ServiceKeyStore.now",
          "ServingStore.all",
          "ServingStore.report",
          "TenantStore.strictProjects",
          "TenantStore.tenantNamed",
          "TenantStore.tenants",
          "TokenStore.withHash",
          "TransferStore.forget",
          "TransferStore.open",
          "VolumeStore.breakers",
          "VolumeStore.confirm",
          "VolumeStore.confirmed",
          "VolumeStore.forgetStays",
          "VolumeStore.lock",
          "VolumeStore.lost",
          "VolumeStore.mark",
          "VolumeStore.on",
          "VolumeStore.placed",
          "VolumeStore.unplace",
          "WebhookStore.advance",
          "WebhookStore.all",
          "WebhookStore.backlog",
          "WebhookStore.forget",
          "WorkdirStore.condemn",
          "WorkdirStore.forget");

  /** No row is read. */
  private static final Set<String> CLOCK =
      Set.of("JobStore.now[]", "PoolStore.now[]", "QuotaStore.now[]");

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final StoreCalls calls = calls();

  /** Fails when the initial role of connections can read rows of any tenant. */
  @Test
  void callOutsideATransactionReadsNothingOrIsRejected() {
    assertThat(outcomes(calls::outcome)).hasSizeGreaterThan(10).allSatisfy(this::seesNothing);
  }

  /** Fails when a transaction that states nothing sees rows of any tenant. */
  @Test
  void transactionWithoutATenantReadsNothingOrIsRejected() {
    assertThat(outcomes(call -> calls.outcomeAfter(() -> {}, call)))
        .hasSizeGreaterThan(10)
        .allSatisfy(this::seesNothing);
  }

  /** Fails when the calls above return nothing for a reason other than the missing tenant. */
  @Test
  void sameCallsReturnRowsWhenTheTenantIsStated() {
    Runnable stated = () -> stores.tenants().projects(world.tenant().id());

    Map<String, String> outcomes = outcomes(call -> calls.outcomeAfter(stated, call));

    assertThat(outcomes.get("JobStore.lock[Collection]")).startsWith("gives [Job[");
    assertThat(outcomes.get("JobStore.liveAttempts[JobId]")).startsWith("gives [Attempt[");
    assertThat(outcomes.get("JobStore.activeCount[ProjectId, long]")).startsWith("gives 1");
  }

  private void seesNothing(String call, String outcome) {
    assertThat(outcome).as(call).isIn("nothing", "refused");
  }

  private Map<String, String> outcomes(Function<Call, String> asked) {
    Map<String, String> outcomes = new TreeMap<>();
    for (Call call : calls.all()) {
      String port = call.method().getDeclaringClass().getSimpleName();
      if (!OF_NO_TENANT.contains(port)
          && !FOR_ALL_TENANTS.contains(port)
          && !FOR_ALL_TENANTS.contains(port + "." + call.method().getName())
          && !CLOCK.contains(call.name())
          && !StoreCalls.statesATenant(call.method())) {
        outcomes.put(call.name(), asked.apply(call));
      }
    }
    return outcomes;
  }

  private StoreCalls calls() {
    Job job = world.submit(Specs.job("seen").gpus(1));
    Attempt attempt = world.run(world.place(job));
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            world.uniqueName("seen"),
            world.tenant().id(),
            new PoolSelector(List.of("no-cluster"), List.of(), new TreeMap<>(), List.of()),
            "",
            Spares.NONE,
            PoolWindows.NONE,
            1);
    stores.pools().insert(pool);
    return new StoreCalls(
        stores,
        List.of(
            job.id(),
            attempt.id(),
            attempt.cluster(),
            world.project().id(),
            world.queue().id(),
            WakeUps.Topic.SERVICES,
            AttemptRange.of(0, 10),
            pool.id(),
            pool,
            job.name(),
            1,
            1L));
  }
}
