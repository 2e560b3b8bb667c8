package dev.fairlead.fleet.quota.memory;

import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.FleetQuotaStore;
import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaDemand;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaTrees;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.WakeUps.Topic;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.submit.LimitScope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * In-memory implementation of {@link QuotaStore}, {@link QuotaTrees} and {@link FleetQuotaStore}.
 * Stores the charges of each queue in addition to the tree's counters, for recounts.
 */
public final class MemoryQuotaStore implements QuotaStore, QuotaTrees, FleetQuotaStore {
  private final MemoryDatabase database;
  private final Supplier<Instant> clock;
  private final MemoryTable<QuotaNodeId, QuotaNode> nodes;
  private final MemoryTable<QuotaNodeId, SortedMap<QuotaCell, QuotaUse>> charged;
  private final MemoryTable<QuotaNodeId, SortedMap<QuotaCell, QuotaUse>> used;
  private final MemoryTable<QuotaNodeId, QuotaNode> fleet;
  private final MemoryTable<Long, PastUse> past;
  private final MemoryTable<Long, QuotaDemand> asked;
  private final List<Predicate<QuotaNodeId>> referrers = new ArrayList<>();

  /** Returned when no limit has a window. */
  public MemoryQuotaStore(MemoryDatabase database) {
    this(database, () -> Instant.EPOCH);
  }

  public MemoryQuotaStore(MemoryDatabase database, Supplier<Instant> clock) {
    this.database = database;
    this.clock = clock;
    this.nodes = database.table();
    this.charged = database.table();
    this.used = database.table();
    this.fleet = database.table();
    this.past = database.table();
    this.asked = database.table();
  }

  @Override
  public Instant now() {
    return clock.get();
  }

  /** Sets the check for rows of other tables that refer to a node. */
  public void referredBy(Predicate<QuotaNodeId> referrer) {
    referrers.add(referrer);
  }

  /**
   * Charges the queue of the job in the open transaction.
   *
   * @param guarded false to charge beyond the limits
   * @throws Conflict QUOTA when a node on the path has not enough left
   */
  public void take(Job job, SortedMap<QuotaCell, Long> charges, boolean guarded) {
    String subject = job.id().text();
    QuotaNodeId queue = job.queue();
    boolean nonPreemptible = job.spec().nonPreemptible();
    QuotaNode node = nodes.find(queue).orElseThrow(() -> new Conflict(Guard.QUOTA, subject));
    QuotaTree tree = tree(node.tenant());
    charges.forEach((cell, amount) -> {
      if (guarded && !tree.admits(queue, cell, amount, nonPreemptible)) {
        throw new Conflict(Guard.QUOTA, subject);
      }
      tree.use(queue, cell, amount, nonPreemptible);
      charge(queue, cell, amount, nonPreemptible);
    });
    store(counted(node.tenant()), tree);
  }

  /**
   * @param use use of the jobs that count together with the job in its queue, including it
   * @throws Conflict QUOTA beyond the limits of the queue
   */
  public void admit(Job job, Function<LimitScope, RunLimits.Use> use) {
    QueueSettings queue = nodes.find(job.queue()).map(QuotaNode::queue).orElse(null);
    for (LimitScope scope : queue == null ? List.<LimitScope>of() : LimitScope.limited(queue)) {
      if (!scope.limits(queue).admit(use.apply(scope))) {
        throw new Conflict(Guard.QUOTA, job.id().text());
      }
    }
  }

  /**
   * @throws Conflict CHECK when an admission check of the queue does not permit the new attempt
   */
  public void checked(Transition starting) {
    Job job = starting.job();
    QueueSettings queue = nodes.find(job.queue()).map(QuotaNode::queue).orElse(null);
    if (queue != null && !starting.checked(queue.checks())) {
      throw new Conflict(Guard.CHECK, job.id().text());
    }
  }

  /** Stores the usage of ended jobs in the open transaction. */
  public void leave(List<PastUse> uses) {
    uses.forEach(use -> past.put((long) past.map().size(), use));
  }

  /** The tree of a tenant with its use. */
  public QuotaTree treeOf(TenantId tenant) {
    return tree(tenant);
  }

  @Override
  public void demand(List<QuotaDemand> demands) {
    database.run(() -> {
      List.copyOf(asked.map().keySet()).forEach(asked::remove);
      demands.stream()
          .filter(d -> nodes.has(d.queue()))
          .sorted(Comparator.comparing(QuotaDemand::queue).thenComparing(QuotaDemand::cell))
          .forEach(d -> asked.put((long) asked.map().size(), d));
    });
  }

  @Override
  public List<QuotaDemand> demands(TenantId tenant) {
    return database.call(
        () -> asked.all().stream().filter(d -> node(tenant, d.queue()).isPresent()).toList());
  }

  @Override
  public List<PastUse> pastUses() {
    return database.call(() ->
        past.all().stream()
            .filter(use -> nodes.find(use.node()).map(n -> n.usageHalfLife() != null).orElse(false))
            .toList());
  }

  /** Releases charges in the open transaction. */
  public void giveBack(Job job, SortedMap<QuotaCell, Long> charges) {
    QuotaNodeId queue = job.queue();
    boolean nonPreemptible = job.spec().nonPreemptible();
    QuotaNode node = nodes.find(queue).orElseThrow();
    QuotaTree tree = tree(node.tenant());
    charges.forEach((cell, amount) -> {
      tree.free(queue, cell, amount, nonPreemptible);
      charge(queue, cell, -amount, nonPreemptible);
    });
    store(counted(node.tenant()), tree);
  }

  /** Computes the counters again from the true charges of the queues, in the open transaction. */
  public void recount(List<QuotaUse> truth) {
    allNodes().forEach(node -> charged.remove(node.id()));
    truth.forEach(this::charge);
    nodes.all().stream().map(QuotaNode::tenant).distinct().forEach(this::recount);
    recountFleet();
  }

  @Override
  public void insert(QuotaNode node) {
    database.run(() -> {
      if (nodes.has(node.id()) || nodeNamed(node.tenant(), node.name()).isPresent()) {
        throw new Conflict(Guard.NAME_TAKEN, node.name());
      }
      nodes.put(node.id(), node);
      recount(node.tenant());
    });
  }

  @Override
  public void update(QuotaNode node) {
    database.run(() -> {
      expect(node.id(), node.version() - 1);
      boolean taken =
          nodeNamed(node.tenant(), node.name()).filter(n -> !n.id().equals(node.id())).isPresent();
      if (taken) {
        throw new Conflict(Guard.NAME_TAKEN, node.name());
      }
      nodes.put(node.id(), node);
      recount(node.tenant());
    });
  }

  @Override
  public void delete(TenantId tenant, QuotaNodeId id, long version) {
    database.run(() -> {
      QuotaNode node = expect(id, version);
      if (!tenant.equals(node.tenant())) {
        throw new Conflict(Guard.VERSION, id.text());
      }
      boolean parent = nodes.all().stream().anyMatch(n -> id.equals(n.parent()));
      boolean inUse = charged.find(id).isPresent();
      if (parent || inUse || referrers.stream().anyMatch(r -> r.test(id))) {
        throw new Conflict(Guard.REFERENCED, id.text());
      }
      nodes.remove(id);
      recount(node.tenant());
    });
  }

  @Override
  public Optional<QuotaNode> node(TenantId tenant, QuotaNodeId id) {
    return database.call(() -> nodes.find(id).filter(n -> n.tenant().equals(tenant)));
  }

  @Override
  public Optional<QuotaNode> nodeNamed(TenantId tenant, String name) {
    return nodes(tenant).stream().filter(n -> n.name().equals(name)).findFirst();
  }

  @Override
  public List<QuotaNode> nodes(TenantId tenant) {
    return sorted().stream().filter(n -> n.tenant().equals(tenant)).toList();
  }

  @Override
  public List<QuotaUse> uses(TenantId tenant) {
    return allUses().stream().filter(u -> node(tenant, u.node()).isPresent()).toList();
  }

  @Override
  public List<QuotaNode> allNodes() {
    List<QuotaNode> all = new ArrayList<>(platformNodes());
    all.addAll(sorted());
    return all;
  }

  private List<QuotaNode> sorted() {
    return database.call(() ->
        nodes.all().stream()
            .sorted(
                Comparator.comparingInt(QuotaNode::depth)
                    .thenComparing(QuotaNode::name)
                    .thenComparing(QuotaNode::id))
            .toList());
  }

  @Override
  public List<QuotaNode> platformNodes() {
    List<QuotaNode> all = fleet();
    return all.stream().allMatch(n -> n.limits().isEmpty()) ? List.of() : all;
  }

  @Override
  public List<QuotaUse> fleetUses() {
    SortedSet<QuotaNodeId> ids = new TreeSet<>();
    fleet().forEach(n -> ids.add(n.id()));
    return allUses().stream().filter(u -> ids.contains(u.node())).toList();
  }

  @Override
  public List<QuotaUse> fleetUses(TenantId tenant) {
    return fleetUses().stream()
        .filter(u -> u.node().equals(FleetQuota.ROOT) || u.node().equals(FleetQuota.of(tenant)))
        .toList();
  }

  @Override
  public List<QuotaNode> fleet() {
    return database.call(() -> {
      SortedMap<QuotaNodeId, QuotaNode> all = new TreeMap<>();
      all.put(FleetQuota.ROOT, unlimitedRoot());
      nodes
          .all()
          .forEach(n -> all.put(FleetQuota.of(n.tenant()), FleetQuota.unlimited(n.tenant())));
      fleet.all().forEach(n -> all.put(n.id(), n));
      return List.copyOf(all.values());
    });
  }

  @Override
  public void updateFleet(QuotaNode node) {
    database.run(() -> {
      boolean current =
          fleet().stream()
              .anyMatch(n -> n.id().equals(node.id()) && n.version() == node.version() - 1);
      if (!current) {
        throw new Conflict(Guard.VERSION, node.id().text());
      }
      fleet.put(node.id(), node);
      recountFleet();
    });
  }

  private void recountFleet() {
    QuotaTree tree = new QuotaTree(allNodes(), List.of());
    charged.map().values().forEach(cells -> cells.values().forEach(tree::add));
    store(fleet(), tree);
    database.changed(Topic.QUOTAS);
  }

  @Override
  public List<QuotaUse> allUses() {
    return database.call(() -> {
      List<QuotaUse> uses = new ArrayList<>();
      used.map().values().forEach(cells -> uses.addAll(cells.values()));
      return uses;
    });
  }

  private QuotaNode expect(QuotaNodeId id, long version) {
    return nodes
        .find(id)
        .filter(n -> n.version() == version)
        .orElseThrow(() -> new Conflict(Guard.VERSION, id.text()));
  }

  private QuotaTree tree(TenantId tenant) {
    return platformNodes().isEmpty()
        ? QuotaTree.at(nodes(tenant), uses(tenant), now())
        : QuotaTree.at(allNodes(), allUses(), now());
  }

  private void charge(QuotaNodeId queue, QuotaCell cell, long amount, boolean nonPreemptible) {
    charge(new QuotaUse(queue, cell, amount, nonPreemptible ? amount : 0));
  }

  private void charge(QuotaUse more) {
    SortedMap<QuotaCell, QuotaUse> cells =
        new TreeMap<>(charged.find(more.node()).orElseGet(TreeMap::new));
    QuotaUse old = cells.getOrDefault(more.cell(), new QuotaUse(more.node(), more.cell(), 0));
    put(
        cells,
        new QuotaUse(
            more.node(),
            more.cell(),
            Saturating.plus(old.used(), more.used()),
            Saturating.plus(old.nonPreemptible(), more.nonPreemptible())));
    put(charged, more.node(), cells);
  }

  private void recount(TenantId tenant) {
    QuotaTree tree = new QuotaTree(nodes(tenant), List.of());
    for (QuotaNode node : nodes(tenant)) {
      charged.find(node.id()).ifPresent(cells -> cells.values().forEach(tree::add));
    }
    store(nodes(tenant), tree);
    database.changed(Topic.QUOTAS);
  }

  private List<QuotaNode> counted(TenantId tenant) {
    List<QuotaNode> counted = new ArrayList<>(platformNodes());
    counted.addAll(nodes(tenant));
    return counted;
  }

  private void store(List<QuotaNode> counted, QuotaTree tree) {
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, QuotaUse>> now = new TreeMap<>();
    for (QuotaUse use : tree.uses()) {
      put(now.computeIfAbsent(use.node(), n -> new TreeMap<>()), use);
    }
    for (QuotaNode node : counted) {
      put(used, node.id(), now.getOrDefault(node.id(), new TreeMap<>()));
    }
  }

  private static void put(Map<QuotaCell, QuotaUse> cells, QuotaUse use) {
    if (use.used() == 0 && use.nonPreemptible() == 0) {
      cells.remove(use.cell());
    } else {
      cells.put(use.cell(), use);
    }
  }

  private static void put(
      MemoryTable<QuotaNodeId, SortedMap<QuotaCell, QuotaUse>> table,
      QuotaNodeId id,
      SortedMap<QuotaCell, QuotaUse> cells) {
    if (cells.isEmpty()) {
      table.remove(id);
    } else {
      table.put(id, cells);
    }
  }

  /** The root of the fleet before anything is limited. */
  public static QuotaNode unlimitedRoot() {
    TenantId none = new TenantId(FleetQuota.ROOT.value());
    return FleetQuota.unlimited(none).with().id(FleetQuota.ROOT).parent(null).depth(0).build();
  }
}
