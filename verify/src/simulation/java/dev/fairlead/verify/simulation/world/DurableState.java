package dev.fairlead.verify.simulation.world;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.operation.service.DrainCommands;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.memory.AppendGuard;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * State that survives a process: the database with its clock, and the clusters with their clocks.
 */
public final class DurableState {
  private static final List<String> MODELS = List.of("H100", "A100-80GB");

  private final VirtualTime time;
  private final MemoryStores stores;
  private final TestWorld world;
  private final SortedMap<ClusterId, SimulatedCluster> clusters = new TreeMap<>();
  private final SortedMap<ClusterId, Deque<InventoryView>> nodesShown = new TreeMap<>();
  private final Map<ClusterId, Map<AttemptId, ObservedWorkload>> podsShown = new HashMap<>();
  private final Set<ClusterId> sheltered = new HashSet<>();
  private final Map<ClusterId, PlacementBackend.Kind> backends = new HashMap<>();
  private boolean preempts;
  private Duration clockOffset = Duration.ZERO;
  private long changes;
  private long commits;
  private int clockSteps;
  private UnaryOperator<ClusterGateway> way = UnaryOperator.identity();

  public DurableState(long seed, RandomGenerator chance, VirtualTime time, Set<Guard> missing) {
    this.time = time;
    this.stores = stores(seed, missing);
    count();
    this.world = TestWorld.in(stores);
    Cluster unused = world.cluster();
    stores
        .inventory()
        .update(unused.moved(ClusterState.DISABLED, null, null, Capabilities.UNOBSERVED));
    /* with a cluster without nodes it is unknown whether a job can ever fit */
    world.report(NodeReports.node("tiny").gpus(0).cpuMilli(1).build());
    boolean narrow = missing.contains(Guard.QUOTA) || missing.contains(Guard.ROOM);
    int count = narrow ? 1 : 1 + chance.nextInt(3);
    for (int i = 0; i < count; i++) {
      int gpus = List.of(2, 4, 8).get(chance.nextInt(3));
      FleetPool pool =
          new FleetPool(
              narrow ? 2 : 2 + chance.nextInt(5),
              gpus,
              MODELS.get(chance.nextInt(MODELS.size())),
              1,
              2);
      long itsSeed = chance.nextLong();
      boolean moves = missing.isEmpty() && Math.floorMod(itsSeed, 3) == 0;
      register("sim-" + i, pool, itsSeed, moves);
    }
    if (Math.floorMod(seed, 2) == 0) {
      preempting(Math.floorMod(seed, 4) == 0);
    }
    if (missing.contains(Guard.QUOTA_KNOWN)) {
      limit(MODELS.get(0), 1);
      limit(MODELS.get(1), 1);
    } else if (chance.nextBoolean()) {
      limit(MODELS.get(chance.nextInt(2)), 1 + chance.nextInt(12));
    }
  }

  private void count() {
    stores
        .database()
        .listen(topic -> {
          changes++;
          commits += topic == WakeUps.Topic.JOBS ? 1 : 0;
        });
  }

  /**
   * A copy of the database that supervises the same clusters.
   *
   * @param way leads from a process of the copy to a cluster
   */
  public DurableState(DurableState original, long seed, UnaryOperator<ClusterGateway> way) {
    this.time = original.time;
    this.stores = original.stores.copy(seed);
    count();
    this.world = original.world;
    this.clusters.putAll(original.clusters);
    this.clockOffset = original.clockOffset;
    this.way = way;
  }

  /** Machines of this cluster do not end or boot, because its objects have no kubelets. */
  public void shelter(ClusterId cluster) {
    sheltered.add(cluster);
  }

  public boolean sheltered(ClusterId cluster) {
    return sheltered.contains(cluster);
  }

  /** A scheduler of this cluster chooses the nodes of its pods. */
  public void schedules(ClusterId cluster, PlacementBackend.Kind backend) {
    backends.put(cluster, backend);
  }

  public PlacementBackend.Kind backend(ClusterId cluster) {
    return backends.getOrDefault(cluster, PlacementBackend.Kind.FAIRLEAD);
  }

  /** Returns whether pods of the cluster may run on nodes other than planned. */
  public boolean chooses(ClusterId cluster) {
    return backends.containsKey(cluster);
  }

  /** Returns whether a scheduler of a cluster excludes the job, which may fit nowhere else. */
  public boolean refuses(Job job) {
    return backends.values().stream()
        .anyMatch(kind -> BackendLoss.trouble(kind, job.spec()) != null);
  }

  /** The way from a process to a cluster. */
  ClusterGateway reached(ClusterGateway gateway) {
    return way.apply(gateway);
  }

  private void limit(String model, int gpus) {
    Flavor flavor = new Flavor(model, CapacityType.RESERVED);
    List<QuotaLimit> limits =
        new ArrayList<>(
            stores.quotas().node(world.tenant().id(), world.queue().id()).orElseThrow().limits());
    limits.add(new QuotaLimit(flavor, "gpu", gpus * 1000L, 0L, null));
    world.limit(world.queue(), limits.toArray(QuotaLimit[]::new));
  }

  /**
   * Sets no limit for these flavors, which would otherwise be excluded by limits of other flavors.
   */
  public void unlimited(Collection<Flavor> flavors) {
    QuotaNode queue = world.queue();
    if (!queue.limits().isEmpty()) {
      List<QuotaLimit> limits = new ArrayList<>(queue.limits());
      flavors.forEach(flavor -> limits.add(new QuotaLimit(flavor, "gpu", null, null, null)));
      world.limit(queue, limits.toArray(QuotaLimit[]::new));
    }
  }

  private static MemoryStores stores(long seed, Set<Guard> missing) {
    EnumSet<AppendGuard> without = EnumSet.noneOf(AppendGuard.class);
    for (AppendGuard guard : AppendGuard.values()) {
      if (missing.stream().anyMatch(one -> one.name().equals(guard.name()))) {
        without.add(guard);
      }
    }
    MemoryStores stores = MemoryStores.empty(seed, without);
    if (missing.contains(Guard.QUARANTINE)) {
      stores.inventory().quarantinedBy(node -> false);
    }
    if (missing.contains(Guard.QUARANTINE_GPU)) {
      stores.inventory().quarantinedGpusBy(gpu -> false);
    }
    return stores;
  }

  /** Drains the node as an operator, unless the fleet no longer knows it. */
  public void drain(NodeId node) {
    try {
      new DrainCommands(
              stores.transactions(),
              stores.inventory(),
              stores.operations(),
              stores.audit(),
              stores.ids(),
              stores.clock())
          .drainNode(operator(), node.text(), null, false);
    } catch (Refusal gone) {
      /* a retired node is not drained */
    }
  }

  public Actor operator() {
    return new Actor(world.tenant().id(), "operator", Role.ADMIN);
  }

  public void uncordon(NodeId node) {
    stores.inventory().order(node, NodeOrder.UNCORDON);
  }

  /** A cluster that was not observed yet. */
  public static Cluster simulated(MemoryStores stores, String name) {
    return new Cluster(
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
  }

  /**
   * @param moves whether jobs are moved so that a waiting job fits
   */
  private void register(String name, FleetPool pool, long seed, boolean moves) {
    Cluster plain = simulated(stores, name);
    Cluster cluster =
        moves
            ? plain.configured(
                plain.capacity(),
                plain.pricePerGpuHour(),
                plain.settings().withConsolidation(ClusterSettings.Consolidation.WHEN_IT_PAYS))
            : plain;
    /* a permanently wrong clock, in half of the cases by up to ten minutes */
    long wrong = (seed & 1) == 0 ? 0 : Math.floorMod(seed >> 1, 1_200_000) - 600_000;
    SimulatedCluster simulated =
        new SimulatedCluster(
            name, List.of(pool), () -> SettableClock.START.plusMillis(time.now() + wrong), seed);
    clusters.put(cluster.id(), simulated);
    stores.inventory().insert(cluster, new Connection.Simulated(List.of(pool)));
  }

  /** Returns whether jobs of the queue evict each other. */
  public boolean preempts() {
    return preempts;
  }

  private void preempting(boolean newerEqual) {
    QuotaNode queue = world.queue();
    WithinQueue within = newerEqual ? WithinQueue.LOWER_OR_NEWER_EQUAL : WithinQueue.LOWER_PRIORITY;
    PreemptionRules rules = new PreemptionRules(within, Reclaim.NEVER, false);
    stores.quotas().update(queue.with().preemption(rules).version(queue.version() + 1).build());
    preempts = true;
  }

  public MemoryStores stores() {
    return stores;
  }

  public TestWorld world() {
    return world;
  }

  public SortedMap<ClusterId, SimulatedCluster> clusters() {
    return clusters;
  }

  /** The pods of attempts in the latest watch event of any process, before faults changed it. */
  public Map<AttemptId, ObservedWorkload> podsShown(ClusterId id) {
    return podsShown.computeIfAbsent(id, cluster -> new HashMap<>());
  }

  /** Recent node states from watches: the watches of a new process may be as late. */
  Deque<InventoryView> nodesShown(ClusterId id) {
    return nodesShown.computeIfAbsent(id, cluster -> new ArrayDeque<>());
  }

  /** Rises with each commit of jobs, attempts, inventory or quotas, and each step of the clock. */
  long changes() {
    return changes;
  }

  /** Transactions that appended to the event log so far. */
  public long commits() {
    return commits;
  }

  public Actor actor() {
    return new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  }

  /** The store's clock follows virtual time, plus all its steps. */
  public void follow() {
    stores.clock().set(SettableClock.START.plusMillis(time.now()).plus(clockOffset));
  }

  /** Runs this after each commit that changes attempts. */
  public void afterAttempts(Runnable follow) {
    stores
        .database()
        .listen(topic -> {
          if (topic == WakeUps.Topic.ATTEMPTS) {
            follow.run();
          }
        });
  }

  /** Number of steps of the store's clock so far. */
  public int clockSteps() {
    return clockSteps;
  }

  public void stepClock(Duration by) {
    clockSteps++;
    clockOffset = clockOffset.plus(by);
    changes++;
    follow();
  }
}
