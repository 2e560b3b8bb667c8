package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.ConditionIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.care.healthtest.service.KnownPreflights;
import dev.fairlead.data.transfer.service.TransferWriters;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.transaction.memory.InlineExecutor;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobCommands;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.service.submit.SubmitChecks;
import dev.fairlead.work.job.service.submit.SubmitRules;
import dev.fairlead.work.job.store.JobWriter;
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
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.service.ClusterConnections;
import dev.fairlead.work.workload.service.ClusterTokens;
import dev.fairlead.work.workload.service.Supervisors;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.contact.ClosedPlaces;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One process with the real commands and loops, and simulated clusters, in virtual time and without
 * faults of its own.
 */
public final class FleetWorld {
  /** Long enough that an idle loop needs no pass to hold its lease. */
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofHours(3), Duration.ofHours(1), Duration.ofHours(2));

  private final MemoryStores stores;
  private final TestWorld world;
  private final SortedMap<String, SimulatedCluster> clusters = new TreeMap<>();
  private final List<Loop> supervisors = new ArrayList<>();
  private final Leases leases;
  private final JobCommands commands;
  private final JobControl control;
  private final Loop scheduler;
  private long nanos;
  private long changes;

  /** A cluster and how its nodes are paid for. */
  record Site(String name, List<FleetPool> fleet, CapacityType capacity) {}

  /**
   * @param keeps whether the remaining capacity of a gang is reserved after a fault
   */
  FleetWorld(long seed, List<Site> sites, boolean keeps) {
    stores = MemoryStores.empty(seed);
    world = TestWorld.in(stores);
    world.report();
    stores.database().listen(topic -> changes++);
    leases = new Leases(stores.leases(), TIMES, () -> nanos, "one");
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), transition -> {});
    Idempotency once = new Idempotency(stores.idempotency());
    commands =
        new JobCommands(
            stores.transactions(),
            stores.jobs(),
            writer,
            rules(stores),
            once,
            WarmMembers.NONE,
            stores.audit(),
            stores.ids());
    control =
        new JobControl(
            stores.transactions(),
            stores.jobs(),
            writer,
            once,
            stores.legalHolds(),
            new TransferWriters(stores.transfers(), stores.volumes()),
            stores.audit(),
            SubmitPolicies.NONE,
            stores.tenants());
    Evictor evictor = new Evictor(stores.jobs(), writer, stores.reservations());
    scheduler =
        new SchedulerLoop(
            leases,
            stores.world(),
            new SchedulingEngine(),
            new PlanApplier(
                stores.transactions(),
                stores.jobs(),
                writer,
                evictor,
                new Resizer(stores.jobs(), writer, evictor),
                stores.volumes(),
                stores.ids(),
                metrics),
            new ExplanationKeeper(stores.transactions(), stores.explanations(), leases),
            new StartEstimates(
                stores.transactions(),
                stores.activeJobs(),
                stores.explanations(),
                stores.progress(),
                leases),
            new DemandWriter(stores.transactions(), stores.quotas(), leases),
            new SchedulerReport(metrics, leases, stores.world()));
    AttemptRepository repository =
        new AttemptRepository(
            stores.transactions(),
            stores.jobs(),
            writer,
            stores.tenants(),
            stores.leases(),
            keeps ? stores.reservations() : new NothingKept(stores.reservations()),
            stores.secrets(),
            stores.volumes(),
            stores.progress(),
            stores.outputs(),
            stores.configs(),
            purpose -> Optional.empty(),
            metrics);
    Supervisors each =
        new Supervisors(
            stores.inventory(),
            new ClosedPlaces(
                stores.transactions(),
                stores.placeNotes(),
                stores.inventory(),
                stores.operations(),
                stores.health(),
                stores.repairs(),
                stores.pools(),
                stores.advanceReservations(),
                new ConditionIntake(
                    stores.inventory(),
                    stores.health(),
                    new FaultIsolation(stores.health(), stores.inventory(), stores.ids()),
                    stores.ids(),
                    new HealthAudit(stores.audit(), stores.tenants(), stores.inventory())),
                UnknownHolder.DEFAULT,
                stores.ids()),
            stores.transactions(),
            leases,
            new ClusterConnections(List.of(new Connector()), stores.inventory(), stores.leases()),
            repository,
            new ClusterTokens(
                stores.inventory(),
                stores.tenants(),
                stores.transactions(),
                stores.audit(),
                metrics),
            stores.removals(),
            FrontUpkeep.NONE,
            (cluster, clock) -> (lease, gateway) -> {},
            WorkloadTimeouts.DEFAULT,
            metrics);
    for (Site site : sites) {
      clusters.put(
          site.name(),
          new SimulatedCluster(site.name(), site.fleet(), stores.clock(), seed + clusters.size()));
      supervisors.add(each.of(register(site), new InlineExecutor()));
    }
  }

  private ClusterId register(Site site) {
    ClusterId id = new ClusterId(stores.ids().next());
    stores
        .inventory()
        .insert(
            new Cluster(
                id,
                site.name(),
                ClusterKind.SIMULATED,
                ClusterState.UNREACHABLE,
                site.capacity(),
                new TreeMap<>(),
                ClusterSettings.DEFAULT,
                Capabilities.UNOBSERVED,
                stores.clock().instant(),
                null,
                null,
                1),
            new Connection.Simulated(site.fleet()));
    return id;
  }

  /** The supervisor of an installation without reservations for gangs. */
  private record NothingKept(ReservationStore stored) implements ReservationStore {
    @Override
    public List<Reservation> all() {
      return stored.all();
    }

    @Override
    public void put(Collection<Reservation> reservations) {
      List<Reservation> others = new ArrayList<>(reservations);
      others.removeIf(r -> r.kind() == Reservation.Kind.FAULT);
      stored.put(others);
    }

    @Override
    public void remove(Collection<Reservation> seen) {
      stored.remove(seen);
    }
  }

  private final class Connector implements ClusterConnector {
    @Override
    public ClusterKind kind() {
      return ClusterKind.SIMULATED;
    }

    @Override
    public ClusterGateway connect(
        Installation installation, Cluster registered, Connection connection) {
      return cluster(registered.name()).session();
    }
  }

  /**
   * Time passes and each loop runs once.
   *
   * @return time of the next event on a cluster, null if none
   */
  @Nullable Instant passTo(Instant to) {
    Duration by = Duration.between(now(), to);
    stores.clock().set(to);
    nanos += by.toNanos();
    Instant due = null;
    for (SimulatedCluster cluster : clusters.values()) {
      Instant next = cluster.tickTo(to);
      due = due == null || next != null && next.isBefore(due) ? next : due;
    }
    for (Loop supervisor : supervisors) {
      boolean _ = supervisor.tick();
    }
    boolean _ = scheduler.tick();
    return due;
  }

  Instant now() {
    return stores.clock().instant();
  }

  /** Rises with each commit. */
  long changes() {
    return changes;
  }

  MemoryStores stores() {
    return stores;
  }

  SimulatedCluster cluster(String name) {
    return Objects.requireNonNull(clusters.get(name), name);
  }

  TestWorld tenancy() {
    return world;
  }

  /** Adds another loop of this process. */
  Leases leases() {
    return leases;
  }

  Job submit(Specs spec) {
    return submit(world.project(), spec);
  }

  Job submit(Project project, Specs spec) {
    return commands.submit(owner(), project.name(), new NewJob(spec.build()), null, false).job();
  }

  /** The job's work is saved. */
  void saved(Job job) {
    Job _ = control.checkpoint(new JobControl.Order(owner(), job.id(), null, false));
  }

  Actor owner() {
    return new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  }

  Actor operator() {
    return new Actor(world.tenant().id(), "olga", Role.ADMIN);
  }

  /** The rules of a control plane without limits and policies. */
  public static SubmitRules rules(MemoryStores stores) {
    return new SubmitRules(
        stores.tenants(),
        stores.quotas(),
        stores.jobs(),
        () -> new LimitBook(List.of(), 0),
        () -> spec -> List.of(),
        new SubmitChecks(
            stores.pools(),
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
}
