package dev.fairlead.e2e;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.service.FleetCommands;
import dev.fairlead.fleet.operation.service.DrainCommands;
import dev.fairlead.fleet.operation.service.DrainLoop;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.LoopThreads;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.transaction.memory.InlineExecutor;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.service.JobCommands;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.OwnerNames;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.raypool.service.RayPoolRules;
import dev.fairlead.work.serving.service.ReplicaSignals;
import dev.fairlead.work.serving.service.ServingPass;
import dev.fairlead.work.serving.signal.SignalReader;
import dev.fairlead.work.warmpool.service.WarmTakes;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.service.ClusterConnections;
import dev.fairlead.work.workload.service.ClusterTokens;
import dev.fairlead.work.workload.service.SupervisorFleet;
import dev.fairlead.work.workload.service.Supervisors;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * One process of Fairlead whose loops a test runs. Several may share stores and clusters: replicas.
 */
public final class InMemoryFairlead {
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(3), Duration.ofSeconds(1), Duration.ofSeconds(2));
  private final MemoryStores stores;
  private final TestWorld world;
  private final Map<ClusterId, SimulatedCluster> clusters;
  private final AtomicReference<Duration> steps;
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private UnaryOperator<ClusterGateway> way = UnaryOperator.identity();
  private Consumer<Transition> journal = transition -> {};
  private SignalReader signals =
      (prometheus, wanted) -> new SignalReader.Answer(new TreeMap<>(), "");
  private final LossyReads lossy;
  private final Leases leases;
  private final JobCommands commands;
  private final JobQueries queries;
  private final Loop scheduler;
  private final DrainCommands drains;
  private final FleetCommands fleet;
  private final Loop drainLoop;
  private final Supervisors supervisors;
  private final ClusterConnections gateways;
  private final Map<ClusterId, Loop> supervising = new TreeMap<>();

  /** Answers all queries for metrics of model servers from now on. */
  public void signals(SignalReader reader) {
    signals = reader;
  }

  private InMemoryFairlead(
      String holder,
      MemoryStores stores,
      TestWorld world,
      Map<ClusterId, SimulatedCluster> clusters,
      AtomicReference<Duration> steps) {
    this.stores = stores;
    this.world = world;
    this.clusters = clusters;
    this.steps = steps;
    this.lossy = new LossyReads(stores.transactions());
    Instant start = stores.clock().instant();
    this.leases =
        new Leases(
            stores.leases(),
            TIMES,
            () -> Duration.between(start, stores.clock().instant()).minus(steps.get()).toNanos(),
            holder);
    JobWriter writer =
        new JobWriter(
            stores.jobs(), stores.explanations(), transition -> journal.accept(transition));
    this.commands =
        new JobCommands(
            stores.transactions(),
            stores.jobs(),
            writer,
            ServiceParts.rules(stores),
            new Idempotency(stores.idempotency()),
            new WarmTakes(
                stores.configs(), stores.jobs(), stores.quotas(), stores.budgets(), metrics),
            stores.audit(),
            stores.ids());
    this.queries =
        new JobQueries(
            stores.transactions(),
            stores.jobs(),
            stores.tenants(),
            new OwnerNames(stores.tenants()),
            stores.explanations(),
            stores.events(),
            stores.progress(),
            stores.outputs(),
            stores.inventory(),
            new RayPoolRules(stores.configs(), stores.jobs()));
    this.scheduler = ServiceParts.scheduler(stores, stores.world(), leases, writer, metrics);
    this.drains =
        new DrainCommands(
            stores.transactions(),
            stores.inventory(),
            stores.operations(),
            stores.audit(),
            stores.ids(),
            stores.clock());
    this.fleet = new FleetCommands(stores.transactions(), stores.inventory(), stores.audit());
    this.drainLoop =
        new DrainLoop(
            leases, stores.operations(), stores.inventory(), stores.jobs(), stores.transactions());
    AttemptRepository repository =
        new AttemptRepository(
            lossy,
            stores.jobs(),
            writer,
            stores.tenants(),
            stores.leases(),
            stores.reservations(),
            stores.secrets(),
            stores.volumes(),
            stores.progress(),
            stores.outputs(),
            stores.configs(),
            purpose -> Optional.of(new byte[32]),
            metrics);
    this.gateways =
        new ClusterConnections(List.of(new Connector()), stores.inventory(), stores.leases());
    ServingPass serving =
        new ServingPass(
            stores.services(),
            stores.configs(),
            stores.inventory(),
            new ReplicaSignals(
                stores.services(),
                stores.jobs(),
                stores.inventory(),
                (prometheus, wanted) -> signals.read(prometheus, wanted),
                stores.transactions()),
            stores.transactions());
    this.supervisors =
        new Supervisors(
            stores.inventory(),
            ServiceParts.closedPlaces(stores),
            stores.transactions(),
            leases,
            gateways,
            repository,
            new ClusterTokens(
                stores.inventory(),
                stores.tenants(),
                stores.transactions(),
                stores.audit(),
                metrics),
            stores.removals(),
            FrontUpkeep.NONE,
            (cluster, clock) -> (lease, gateway) -> serving.run(cluster, lease, gateway),
            WorkloadTimeouts.DEFAULT,
            metrics);
  }

  public Leases leases() {
    return leases;
  }

  /** A supervisor for each cluster, not started. */
  public SupervisorFleet supervisorFleet() {
    LoopThreads threads = new LoopThreads(stores.wakeUps(), metrics, System::nanoTime);
    return new SupervisorFleet(stores.inventory(), supervisors, gateways, threads, metrics);
  }

  /** An empty installation. Equal seeds give equal events. */
  public static InMemoryFairlead empty(long seed) {
    MemoryStores stores = MemoryStores.empty(seed);
    TestWorld world = TestWorld.in(stores);
    world.report(); // its own cluster has no supervisor here, so it has no nodes either
    return new InMemoryFairlead(
        "one", stores, world, new TreeMap<>(), new AtomicReference<>(Duration.ZERO));
  }

  /** Another process on the same database and clusters. */
  public InMemoryFairlead replica(String holder) {
    InMemoryFairlead replica = new InMemoryFairlead(holder, stores, world, clusters, steps);
    clusters.keySet().forEach(replica::supervise);
    return replica;
  }

  /**
   * The simulated cluster behind the connector: one per registered cluster, shared by all replicas.
   */
  private final class Connector implements ClusterConnector {
    @Override
    public ClusterKind kind() {
      return ClusterKind.SIMULATED;
    }

    @Override
    public ClusterGateway connect(
        Installation installation, Cluster cluster, Connection connection) {
      SimulatedCluster known = clusters.get(cluster.id());
      return OutsideTransactions.guarded(
          known == null
              ? new SimulatedCluster("none", List.of(), stores.clock(), 1).session()
              : way.apply(known.session()),
          stores.database()::inTransaction);
    }
  }

  public SimulatedCluster register(String name, FleetPool... fleet) {
    Cluster cluster =
        new Cluster(
            new ClusterId(stores.ids().next()),
            name,
            ClusterKind.SIMULATED,
            ClusterState.UNREACHABLE,
            CapacityType.RESERVED,
            new TreeMap<>(),
            ClusterSettings.DEFAULT,
            Capabilities.UNOBSERVED,
            stores.clock().instant(),
            null,
            null,
            1);
    SimulatedCluster simulated = new SimulatedCluster(name, List.of(fleet), stores.clock(), 7);
    clusters.put(cluster.id(), simulated);
    stores.inventory().insert(cluster, new Connection.Simulated(List.of(fleet)));
    supervise(cluster.id());
    return simulated;
  }

  private void supervise(ClusterId id) {
    supervising.put(id, supervisors.of(id, new InlineExecutor()));
  }

  public Actor ana() {
    return new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  }

  /** An actor that may drain and cordon. */
  public Actor operator() {
    return new Actor(world.tenant().id(), "olga", Role.ADMIN);
  }

  public DrainCommands drains() {
    return drains;
  }

  public FleetCommands fleet() {
    return fleet;
  }

  public Job submit(Specs spec) {
    return commands
        .submit(ana(), world.project().name(), new NewJob(spec.build()), null, false)
        .job();
  }

  public JobCommands commands() {
    return commands;
  }

  public JobQueries queries() {
    return queries;
  }

  /** Of the jobs that are submitted. */
  public Project project() {
    return world.project();
  }

  public MemoryStores stores() {
    return stores;
  }

  public Loop scheduler() {
    return scheduler;
  }

  /** Ends the attempt of the job from another process. */
  public void endElsewhere(Job job) {
    Attempt attempt = attempts(job).getFirst();
    Failure failure = Failure.of(FailureCause.NODE_FAILURE, "so somebody says", attempt.number());
    world.apply(attempt, new AttemptEvent.Ended(AttemptState.LOST, failure));
  }

  public Job job(Job job) {
    return world.job(job);
  }

  public JobState state(Job job) {
    return job(job).state();
  }

  public List<Attempt> attempts(Job job) {
    return stores.jobs().attempts(job.id(), 1000);
  }

  /** Inserts a layer before the clusters that are registered from now on. */
  public void reachThrough(UnaryOperator<ClusterGateway> between) {
    way = between;
  }

  /** Called for each transition inside its transaction, which fails if this throws. */
  public void whenWritten(Consumer<Transition> heard) {
    journal = heard;
  }

  /** Makes the next passes of supervisors fail to read attempts. */
  public void loseReads(int turns) {
    lossy.lose(turns);
  }

  /** Number of reads of attempts by supervisors. */
  public int reads() {
    return lossy.reads();
  }

  /** Number of attempts that they have read, with repeats. */
  public int attemptsRead() {
    return lossy.attempts();
  }

  /** The supervisor of each cluster, in no order of note. */
  public List<Loop> supervisors() {
    return List.copyOf(supervising.values());
  }

  /** The gateways of this process. */
  public ClusterConnections gateways() {
    return gateways;
  }

  public SimpleMeterRegistry metrics() {
    return metrics;
  }

  /** Sets the database's clock. The clocks of the processes do not step. */
  public void stepClock(Duration by) {
    steps.updateAndGet(before -> before.plus(by));
    stores.clock().advance(by);
  }

  /** Runs one pass of every loop. */
  public void turn() {
    scheduler.tick();
    supervising.values().forEach(Loop::tick);
    drainLoop.tick();
  }

  /**
   * Advances time in steps of 100 ms, or 500 ms from one minute on, with a pass of every loop after
   * each.
   */
  public void pass(Duration time) {
    long step = time.toMinutes() > 0 ? 500 : 100;
    for (long left = time.toMillis(); left > 0; left -= step) {
      stores.clock().advance(Duration.ofMillis(Math.min(step, left)));
      turn();
    }
  }

  /**
   * Advances time until the job is in the state. The test fails after ten minutes of virtual time.
   */
  public Job until(Job job, JobState state) {
    List<JobState> seen = new ArrayList<>();
    for (int i = 0; i < 6_000 && state(job) != state; i++) {
      JobState now = state(job);
      if (seen.isEmpty() || seen.getLast() != now) {
        seen.add(now);
      }
      pass(Duration.ofMillis(100));
    }
    if (state(job) != state) {
      throw new AssertionError(job.name() + " did not become " + state + "; it was " + seen);
    }
    return job(job);
  }

  /** Shuts down like a process that gets SIGTERM. */
  public void shutDown() {
    scheduler.close();
    supervising.values().forEach(Loop::close);
    drainLoop.close();
  }
}
