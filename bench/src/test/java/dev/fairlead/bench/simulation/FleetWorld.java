package dev.fairlead.bench.simulation;

import dev.fairlead.attempt.Reservation;
import dev.fairlead.attempt.ReservationStore;
import dev.fairlead.cluster.Capabilities;
import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterKind;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.cluster.Connection;
import dev.fairlead.cluster.FleetPool;
import dev.fairlead.health.service.ConditionIntake;
import dev.fairlead.health.service.Isolation;
import dev.fairlead.idempotency.Idempotency;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.Specs;
import dev.fairlead.job.service.JobCommands;
import dev.fairlead.job.service.JobControl;
import dev.fairlead.job.service.NewJob;
import dev.fairlead.job.service.SubmitRules;
import dev.fairlead.lease.Installation;
import dev.fairlead.limit.LimitBook;
import dev.fairlead.loop.LeaseTimes;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Loop;
import dev.fairlead.node.Pool;
import dev.fairlead.node.PoolAssignment;
import dev.fairlead.node.PoolId;
import dev.fairlead.node.PoolSelector;
import dev.fairlead.node.Spares;
import dev.fairlead.placement.SchedulingEngine;
import dev.fairlead.placement.service.DemandWriter;
import dev.fairlead.placement.service.Evictor;
import dev.fairlead.placement.service.ExplanationKeeper;
import dev.fairlead.placement.service.PlanApplier;
import dev.fairlead.placement.service.Resizer;
import dev.fairlead.placement.service.SchedulerLoop;
import dev.fairlead.placement.service.SchedulerReport;
import dev.fairlead.quota.PreemptionRules;
import dev.fairlead.quota.PreemptionRules.Reclaim;
import dev.fairlead.quota.PreemptionRules.WithinQueue;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.workload.ClusterConnector;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.WorkloadTimeouts;
import dev.fairlead.workload.service.ClusterConnections;
import dev.fairlead.workload.service.Supervisors;
import dev.fairlead.workload.service.attempt.AttemptRepository;
import dev.fairlead.workload.service.contact.ClosedPlaces;
import dev.fairlead.workload.simulation.SimulatedCluster;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One process with the real commands and loops, and one large simulated cluster, in virtual time
 * and without faults of its own.
 */
final class FleetWorld {
  static final String CLUSTER = "fleet";

  /** So long that no turn is needed for a lease while nothing happens. */
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofHours(3), Duration.ofHours(1), Duration.ofHours(2));

  private final MemoryStores stores;
  private final TestWorld world;
  private final SimulatedCluster cluster;
  private final JobCommands commands;
  private final JobControl control;
  private final Loop scheduler;
  private final Loop supervisor;
  private long nanos;
  private long changes;

  /**
   * @param spares nodes that are kept for gangs
   * @param keeps whether what a fault leaves of a gang's place is kept
   */
  FleetWorld(long seed, int nodes, int spares, boolean keeps) {
    stores = MemoryStores.empty(seed);
    world = TestWorld.in(stores);
    world.report();
    stores.database().listen(topic -> changes++);
    List<FleetPool> fleet = List.of(new FleetPool(nodes, 8, "H100", 8, 8));
    cluster = new SimulatedCluster(CLUSTER, fleet, stores.clock(), seed);
    ClusterId id = register(fleet);
    pool(nodes, spares);
    preempting();
    Leases leases = new Leases(stores.leases(), TIMES, () -> nanos, "one");
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), transition -> {});
    Idempotency once = new Idempotency(stores.idempotency());
    commands =
        new JobCommands(
            stores.transactions(),
            stores.jobs(),
            writer,
            new SubmitRules(
                stores.tenants(),
                stores.quotas(),
                stores.jobs(),
                stores.pools(),
                stores.secrets(),
                () -> new LimitBook(List.of(), 0),
                () -> spec -> List.of()),
            once,
            stores.audit(),
            stores.ids());
    control = new JobControl(stores.transactions(), stores.jobs(), writer, once, stores.audit());
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
                stores.ids(),
                metrics),
            new ExplanationKeeper(stores.transactions(), stores.explanations(), leases),
            new DemandWriter(stores.transactions(), stores.quotas(), leases),
            new SchedulerReport(metrics, leases, stores.world()));
    AttemptRepository desk =
        new AttemptRepository(
            stores.transactions(),
            stores.jobs(),
            writer,
            stores.tenants(),
            stores.leases(),
            keeps ? stores.reservations() : new NothingKept(stores.reservations()),
            stores.secrets(),
            metrics);
    supervisor =
        new Supervisors(
                stores.inventory(),
                new ClosedPlaces(
                    stores.inventory(),
                    stores.operations(),
                    stores.health(),
                    new ConditionIntake(
                        stores.inventory(),
                        stores.health(),
                        new Isolation(stores.health(), stores.inventory(), stores.ids()),
                        stores.ids())),
                stores.transactions(),
                leases,
                new ClusterConnections(
                    List.of(new Connector()), stores.inventory(), stores.leases()),
                desk,
                WorkloadTimeouts.DEFAULT,
                metrics)
            .of(id, new InlineExecutor());
  }

  private ClusterId register(List<FleetPool> fleet) {
    ClusterId id = new ClusterId(stores.ids().next());
    stores
        .inventory()
        .insert(
            new Cluster(
                id,
                CLUSTER,
                ClusterKind.SIMULATED,
                ClusterState.UNREACHABLE,
                CapacityType.RESERVED,
                new TreeMap<>(),
                Capabilities.UNSEEN,
                stores.clock().instant(),
                null,
                null,
                1),
            new Connection.Simulated(fleet));
    return id;
  }

  private void pool(int nodes, int spares) {
    PoolSelector all = new PoolSelector(List.of(CLUSTER), List.of(), new TreeMap<>(), List.of());
    Spares kept = spares == 0 ? Spares.NONE : new Spares(spares, nodes);
    stores.pools().insert(new Pool(new PoolId(stores.ids().next()), "all", null, all, "", kept, 1));
    int _ = stores.inventory().assign(new PoolAssignment(stores.pools().pools()));
  }

  private void preempting() {
    QuotaNode q = world.queue();
    PreemptionRules rules = new PreemptionRules(WithinQueue.LOWER_PRIORITY, Reclaim.NEVER, false);
    stores
        .quotas()
        .update(
            new QuotaNode(
                q.id(),
                q.tenant(),
                q.name(),
                q.parent(),
                q.depth(),
                q.weight(),
                q.limits(),
                rules,
                q.queue(),
                q.version() + 1));
  }

  /** The supervisor of an installation that keeps no places. */
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
      return cluster.session();
    }
  }

  /**
   * Time passes and both loops take a turn.
   *
   * @return when something is due on the cluster, null for never
   */
  @Nullable Instant passTo(Instant to) {
    Duration by = Duration.between(now(), to);
    stores.clock().set(to);
    nanos += by.toNanos();
    Instant due = cluster.tickTo(to);
    boolean _ = supervisor.tick();
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

  SimulatedCluster cluster() {
    return cluster;
  }

  Job submit(Specs spec) {
    return commands
        .submit(owner(), world.project().name(), new NewJob(spec.build()), null, false)
        .job();
  }

  /** The job's work is saved. */
  void saved(Job job) {
    Job _ = control.checkpoint(new JobControl.Order(owner(), job.id(), null, false));
  }

  private Actor owner() {
    return new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  }

  Actor operator() {
    return new Actor(world.tenant().id(), "olga", Role.ADMIN);
  }
}
