package dev.fairlead.work.world.memory;

import dev.fairlead.care.campaign.memory.MemoryCampaignStore;
import dev.fairlead.care.health.memory.MemoryDeviceStore;
import dev.fairlead.care.health.memory.MemoryHealthStore;
import dev.fairlead.care.health.memory.MemoryPlaceNotes;
import dev.fairlead.care.health.memory.MemoryRepairStore;
import dev.fairlead.care.health.memory.MemorySampleStore;
import dev.fairlead.care.healthtest.memory.MemoryHealthTestStore;
import dev.fairlead.care.reservation.memory.MemoryAdvanceReservationStore;
import dev.fairlead.care.supply.memory.MemorySupplyStore;
import dev.fairlead.data.transfer.memory.MemoryTransferStore;
import dev.fairlead.data.volume.memory.MemoryVolumeStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.cluster.memory.MemoryPoolStore;
import dev.fairlead.fleet.licence.memory.MemoryLicenceStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.operation.memory.MemoryOperationStore;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.front.memory.MemoryFrontStore;
import dev.fairlead.kernel.config.memory.MemoryConfigStore;
import dev.fairlead.kernel.idempotency.memory.MemoryIdempotencyStore;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.memory.MemoryLeaseStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTransactions;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.money.budget.memory.MemoryBudgetStore;
import dev.fairlead.money.budget.memory.MemoryUses;
import dev.fairlead.money.efficiency.memory.MemoryEfficiencyStore;
import dev.fairlead.money.price.memory.MemoryPriceStore;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.memory.MemoryAuditLog;
import dev.fairlead.people.legalhold.memory.MemoryLegalHoldStore;
import dev.fairlead.people.secret.memory.MemoryProjectSecretStore;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.memory.MemoryMembershipStore;
import dev.fairlead.people.tenant.memory.MemoryNamespaceRemovalStore;
import dev.fairlead.people.tenant.memory.MemoryTenantStore;
import dev.fairlead.people.token.memory.MemoryTokenStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.memory.MemoryEventLog;
import dev.fairlead.work.event.memory.MemoryFleetEvents;
import dev.fairlead.work.event.memory.MemoryWakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.memory.AppendGuard;
import dev.fairlead.work.job.memory.MemoryActiveJobs;
import dev.fairlead.work.job.memory.MemoryCounters;
import dev.fairlead.work.job.memory.MemoryExplanationStore;
import dev.fairlead.work.job.memory.MemoryJobStore;
import dev.fairlead.work.job.memory.MemoryReservationStore;
import dev.fairlead.work.log.memory.MemoryLogStore;
import dev.fairlead.work.output.memory.MemoryOutputStore;
import dev.fairlead.work.progress.memory.MemoryProgressStore;
import dev.fairlead.work.schedule.memory.MemoryScheduleStore;
import dev.fairlead.work.serving.key.memory.MemoryServiceKeyStore;
import dev.fairlead.work.serving.memory.MemoryServingStore;
import dev.fairlead.work.webhook.memory.MemoryWebhookStore;
import dev.fairlead.work.workdir.memory.MemoryWorkdirStore;
import dev.fairlead.work.world.Stores;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** All twins of an installation on one database, for tests of the service. */
public record MemoryStores(
    MemoryDatabase database,
    SettableClock clock,
    SeededIds ids,
    MemoryTransactions transactions,
    MemoryTenantStore tenants,
    MemoryNamespaceRemovalStore removals,
    MemoryMembershipStore memberships,
    MemoryTokenStore tokens,
    MemoryQuotaStore quotas,
    MemoryInventoryStore inventory,
    MemoryPoolStore pools,
    MemorySupplyStore supplies,
    MemoryConfigStore configs,
    MemoryPriceStore prices,
    MemoryUses uses,
    MemoryBudgetStore budgets,
    MemoryLicenceStore licences,
    MemoryLegalHoldStore legalHolds,
    MemoryAdvanceReservationStore advanceReservations,
    MemoryVolumeStore volumes,
    MemoryTransferStore transfers,
    MemoryProjectSecretStore secrets,
    MemoryLogStore logs,
    MemoryWorkdirStore workdirs,
    MemoryJobStore jobs,
    MemoryActiveJobs activeJobs,
    MemoryEventLog events,
    MemoryFleetEvents fleetEvents,
    MemoryWebhookStore webhooks,
    MemoryServingStore services,
    MemoryServiceKeyStore serviceKeys,
    MemoryScheduleStore schedules,
    MemoryWakeUps wakeUps,
    MemoryLeaseStore leases,
    MemoryIdempotencyStore idempotency,
    MemoryAuditLog audit,
    MemoryExplanationStore explanations,
    MemoryOperationStore operations,
    MemoryHealthStore health,
    MemoryPlaceNotes placeNotes,
    MemoryRepairStore repairs,
    MemoryCampaignStore campaigns,
    MemoryHealthTestStore healthTests,
    MemoryProgressStore progress,
    MemoryOutputStore outputs,
    MemoryFrontStore fronts,
    MemoryEfficiencyStore efficiency,
    MemoryDeviceStore devices,
    MemorySampleStore samples,
    MemoryReservationStore reservations,
    MemoryWorldReader world,
    MemoryCounters counters)
    implements Stores {
  /** An empty installation of incarnation 1. Equal seeds give equal ids. */
  public static MemoryStores empty(long seed) {
    return empty(seed, Set.of());
  }

  /** Returns stores without guards. */
  public static MemoryStores empty(long seed, Set<AppendGuard> missing) {
    SettableClock clock = new SettableClock();
    SeededIds ids = new SeededIds(seed);
    MemoryDatabase database = new MemoryDatabase();
    MemoryLeaseStore leases = new MemoryLeaseStore(database, new Installation(ids.next(), 1));
    MemoryQuotaStore quotas = new MemoryQuotaStore(database, clock::instant);
    MemoryInventoryStore inventory = new MemoryInventoryStore(database, ids, clock::instant);
    MemoryEventLog events = new MemoryEventLog(database, clock);
    MemoryJobStore jobs = new MemoryJobStore(database, clock, inventory, quotas, events, missing);
    MemoryTenantStore tenants = new MemoryTenantStore(database);
    jobs.projectNames(
        job -> tenants.project(job.tenant(), job.project()).map(Project::name).orElseThrow());
    tenants.referredBy(project -> jobs.all().stream().anyMatch(j -> j.project().equals(project)));
    MemoryReservationStore reservations = new MemoryReservationStore(database);
    MemoryHealthStore health = new MemoryHealthStore(database, inventory);
    MemoryFleetEvents fleetEvents = new MemoryFleetEvents(database, clock, inventory, jobs, events);
    inventory.tellsTo(fleetEvents);
    health.tellsTo(fleetEvents);
    MemoryPoolStore pools = new MemoryPoolStore(database, clock::instant);
    MemorySupplyStore supplies = new MemorySupplyStore(database, pools);
    pools.suppliedBy(pool -> supplies.supply(pool).isPresent());
    MemoryConfigStore configs = new MemoryConfigStore(database, tenants);
    MemoryPriceStore prices = new MemoryPriceStore(configs, pools, clock::instant);
    MemoryHealthTestStore healthTests = new MemoryHealthTestStore(database, configs);
    MemoryUses uses = new MemoryUses(database, clock::millis);
    MemoryBudgetStore budgets =
        new MemoryBudgetStore(database, uses, prices, events, clock::millis);
    MemoryLicenceStore licences = new MemoryLicenceStore(database, jobs, configs);
    jobs.charging(uses, budgets, licences);
    configs.referredBy(licences::holds);
    MemoryAdvanceReservationStore advanceReservations =
        new MemoryAdvanceReservationStore(database, inventory, clock::instant);
    MemoryVolumeStore volumes = new MemoryVolumeStore(database, jobs);
    MemoryOutputStore outputs = new MemoryOutputStore(database, jobs);
    MemoryServingStore services = new MemoryServingStore(database, configs);
    return new MemoryStores(
        database,
        clock,
        ids,
        new MemoryTransactions(database, leases),
        tenants,
        new MemoryNamespaceRemovalStore(
            database,
            clock::instant,
            () -> inventory.clusters().stream().map(Cluster::id).toList(),
            tenants,
            left ->
                jobs.unretired(left.cluster()).stream()
                    .map(Attempt::job)
                    .flatMap(job -> jobs.find(left.tenant(), job).stream())
                    .anyMatch(job -> job.project().equals(left.project()))),
        new MemoryMembershipStore(database),
        new MemoryTokenStore(database),
        quotas,
        inventory,
        pools,
        supplies,
        configs,
        prices,
        uses,
        budgets,
        licences,
        new MemoryLegalHoldStore(database),
        advanceReservations,
        volumes,
        new MemoryTransferStore(database),
        new MemoryProjectSecretStore(database),
        new MemoryLogStore(database, jobs),
        new MemoryWorkdirStore(
            database,
            clock::instant,
            job -> jobs.all().stream().anyMatch(stored -> stored.id().equals(job))),
        jobs,
        new MemoryActiveJobs(database, jobs),
        events,
        fleetEvents,
        new MemoryWebhookStore(database, configs),
        services,
        new MemoryServiceKeyStore(database, services, clock::instant),
        new MemoryScheduleStore(database, configs),
        new MemoryWakeUps(database),
        leases,
        new MemoryIdempotencyStore(database, clock),
        new MemoryAuditLog(database),
        new MemoryExplanationStore(database, clock, jobs),
        new MemoryOperationStore(database),
        health,
        new MemoryPlaceNotes(database),
        new MemoryRepairStore(database),
        new MemoryCampaignStore(database),
        healthTests,
        new MemoryProgressStore(database, inventory),
        outputs,
        new MemoryFrontStore(database, jobs),
        new MemoryEfficiencyStore(database, jobs, tenants),
        new MemoryDeviceStore(database, health),
        new MemorySampleStore(database, clock),
        reservations,
        new MemoryWorldReader(
            database,
            inventory,
            quotas,
            jobs,
            reservations,
            prices,
            budgets,
            licences,
            supplies,
            advanceReservations,
            health,
            volumes,
            healthTests,
            outputs),
        new MemoryCounters(database, jobs, inventory, quotas));
  }

  /** A copy of the whole database. New ids of the copy follow from the seed. */
  public MemoryStores copy(long seed) {
    MemoryStores copy = empty(seed);
    copy.database.restore(database);
    copy.leases.restore(leases);
    copy.clock.set(clock.instant());
    return copy;
  }

  @Override
  public MemoryQuotaStore forest() {
    return quotas;
  }

  @Override
  public MemoryQuotaStore fleetQuotas() {
    return quotas;
  }

  @Override
  public List<AuditRecord> auditEntries() {
    return audit.entries();
  }

  @Override
  public void moveNode(NodeId node, NodeState state) {
    inventory.move(node, state);
  }

  @Override
  public void miscount(QuotaNode queue, Member member) {
    database.run(() -> {
      inventory.take(member, "miscount", false);
      Attempt holder =
          jobs.live().stream().filter(a -> a.members().contains(member)).findFirst().orElseThrow();
      Job job = jobs.findAll(List.of(holder.job())).getFirst();
      quotas.take(job, holder.charges(), false);
    });
  }

  @Override
  public void advance(Duration by) {
    clock.advance(by);
  }
}
