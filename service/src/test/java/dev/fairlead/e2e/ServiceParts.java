package dev.fairlead.e2e;

import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.ConditionIntake;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.TestFaultIntake;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.care.healthtest.service.HealthTestLoop;
import dev.fairlead.care.healthtest.service.KnownPreflights;
import dev.fairlead.care.healthtest.service.PreflightRuns;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.project.service.NewProjects;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.service.submit.SubmitChecks;
import dev.fairlead.work.job.service.submit.SubmitRules;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.job.submit.SubmitPolicies;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.service.DemandWriter;
import dev.fairlead.work.placement.service.Evictor;
import dev.fairlead.work.placement.service.ExplanationKeeper;
import dev.fairlead.work.placement.service.PlanApplier;
import dev.fairlead.work.placement.service.Resizer;
import dev.fairlead.work.placement.service.SchedulerLoop;
import dev.fairlead.work.placement.service.SchedulerReport;
import dev.fairlead.work.placement.service.StartEstimates;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.ReplicaWatch;
import dev.fairlead.work.serving.service.ServingLoop;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.contact.ClosedPlaces;
import dev.fairlead.work.world.WorldReader;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Parts of the service on the stores in memory. */
public final class ServiceParts {
  private ServiceParts() {}

  public static SubmitRules rules(MemoryStores stores) {
    return rules(
        stores,
        stores.jobs(),
        stores.pools(),
        () -> new LimitBook(List.of(), 0),
        () -> spec -> List.of());
  }

  public static SubmitRules rules(
      MemoryStores stores,
      JobStore jobs,
      PoolStore pools,
      LimitSource limits,
      FeasibilityCheck feasibility) {
    return new SubmitRules(
        stores.tenants(),
        stores.quotas(),
        jobs,
        limits,
        feasibility,
        new SubmitChecks(
            pools,
            stores.secrets(),
            stores.volumes(),
            new CheckpointLimit(Duration.ofHours(1)),
            stores.licences(),
            new KnownPreflights(stores.healthTests()),
            SubmitPolicies.NONE,
            stores.workdirs(),
            stores.configs(),
            RayPools.ANY));
  }

  public static PlanApplier applier(
      MemoryStores stores, JobStore jobs, JobWriter writer, MeterRegistry metrics) {
    Evictor evictor = new Evictor(jobs, writer, stores.reservations());
    return new PlanApplier(
        stores.transactions(),
        jobs,
        writer,
        evictor,
        new Resizer(jobs, writer, evictor),
        stores.volumes(),
        stores.ids(),
        metrics);
  }

  public static SchedulerLoop scheduler(
      MemoryStores stores,
      WorldReader worlds,
      Leases leases,
      JobWriter writer,
      MeterRegistry metrics) {
    return new SchedulerLoop(
        leases,
        worlds,
        new SchedulingEngine(),
        applier(stores, stores.jobs(), writer, metrics),
        new ExplanationKeeper(stores.transactions(), stores.explanations(), leases),
        new StartEstimates(
            stores.transactions(),
            stores.activeJobs(),
            stores.explanations(),
            stores.progress(),
            leases),
        new DemandWriter(stores.transactions(), stores.quotas(), leases),
        new SchedulerReport(metrics, leases, worlds));
  }

  public static ConditionIntake conditions(MemoryStores stores, HealthStore health) {
    return new ConditionIntake(
        stores.inventory(),
        health,
        new FaultIsolation(health, stores.inventory(), stores.ids()),
        stores.ids(),
        new HealthAudit(stores.audit(), stores.tenants(), stores.inventory()));
  }

  public static ClosedPlaces closedPlaces(MemoryStores stores) {
    return new ClosedPlaces(
        stores.transactions(),
        stores.placeNotes(),
        stores.inventory(),
        stores.operations(),
        stores.health(),
        stores.repairs(),
        stores.pools(),
        stores.advanceReservations(),
        conditions(stores, stores.health()),
        UnknownHolder.DEFAULT,
        stores.ids());
  }

  public static AttemptRepository attempts(MemoryStores stores, JobStore jobs) {
    return new AttemptRepository(
        stores.transactions(),
        jobs,
        new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
        stores.tenants(),
        stores.leases(),
        stores.reservations(),
        stores.secrets(),
        stores.volumes(),
        stores.progress(),
        stores.outputs(),
        stores.configs(),
        purpose -> Optional.empty(),
        new SimpleMeterRegistry());
  }

  public static HealthIntake intake(MemoryStores stores) {
    return new HealthIntake(
        stores.transactions(),
        stores.inventory(),
        stores.health(),
        new FaultIsolation(stores.health(), stores.inventory(), stores.ids()),
        new DeviceIntake(
            stores.transactions(), stores.inventory(), stores.devices(), stores.clock()),
        stores.audit(),
        stores.ids(),
        stores.clock());
  }

  public static Projects projects(MemoryStores stores, Idempotency once) {
    return new Projects(
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
        stores.configs(),
        stores.audit());
  }

  public static ReplicaWatch replicas(MemoryStores stores) {
    return new ReplicaWatch(
        stores.services(),
        stores.jobs(),
        stores.explanations(),
        stores.inventory(),
        stores.transactions());
  }

  public static ModelServices models(InMemoryFairlead fairlead, ReplicaWatch watch) {
    MemoryStores stores = fairlead.stores();
    return new ModelServices(
        stores.transactions(),
        stores.services(),
        stores.configs(),
        stores.tenants(),
        FairleadSubmits.of(fairlead),
        watch,
        stores.audit(),
        stores.ids(),
        stores.clock());
  }

  public static ServingLoop serving(InMemoryFairlead fairlead, ReplicaWatch watch) {
    return serving(fairlead, watch, new SimpleMeterRegistry());
  }

  static ServingLoop serving(InMemoryFairlead fairlead, ReplicaWatch watch, MeterRegistry metrics) {
    MemoryStores stores = fairlead.stores();
    return new ServingLoop(
        fairlead.leases(),
        stores.services(),
        stores.configs(),
        watch,
        stores.jobs(),
        FairleadSubmits.of(fairlead),
        stores.transactions(),
        metrics);
  }

  static HealthTestLoop healthTests(InMemoryFairlead fairlead, MeterRegistry metrics) {
    MemoryStores stores = fairlead.stores();
    return new HealthTestLoop(
        fairlead.leases(),
        stores.healthTests(),
        stores.inventory(),
        stores.jobs(),
        FairleadSubmits.of(fairlead),
        new TestFaultIntake(
            stores.health(),
            stores.inventory(),
            new FaultIsolation(stores.health(), stores.inventory(), stores.ids()),
            stores.ids()),
        new PreflightRuns(
            stores.healthTests(),
            stores.reservations(),
            stores.inventory(),
            stores.jobs(),
            stores.health(),
            stores.transactions(),
            stores.ids()),
        stores.transactions(),
        stores.ids(),
        metrics);
  }

  /** Lets each queue of the tenant evict jobs of a lower priority. */
  static void letQueuesPreempt(InMemoryFairlead fairlead) {
    PreemptionRules rules =
        new PreemptionRules(
            PreemptionRules.WithinQueue.LOWER_PRIORITY, PreemptionRules.Reclaim.NEVER, false);
    QuotaStore quotas = fairlead.stores().quotas();
    quotas.nodes(fairlead.ana().tenant()).stream()
        .filter(QuotaNode::isQueue)
        .map(node -> node.with().preemption(rules).version(node.version() + 1).build())
        .forEach(quotas::update);
  }

  /** Stores a pool of the project, as its owner would. */
  public static void put(InMemoryFairlead fairlead, WarmPool pool) {
    ConfigStore configs = fairlead.stores().configs();
    Project project = fairlead.project();
    String key = WarmPool.document(project.id(), pool.name());
    ConfigDocument<WarmPool> _ =
        configs.put(
            configs
                .find(WarmPool.DOCUMENTS, project.tenant(), key)
                .map(old -> old.with(pool))
                .orElseGet(() ->
                    new ConfigDocument<>(
                        WarmPool.DOCUMENTS, key, project.tenant(), project.id(), pool, 0)));
  }
}
