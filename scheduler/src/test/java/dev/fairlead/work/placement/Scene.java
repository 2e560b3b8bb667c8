package dev.fairlead.work.placement;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Capabilities.Presence;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** A fleet, a quota tree and pending jobs, described as a story, with their plan. */
final class Scene {
  static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  static final List<String> LEVELS = List.of("zone", "block", "rack", "host");
  static final TenantId TENANT = new TenantId(new UUID(9, 1));

  final List<Cluster> clusters = new ArrayList<>();
  final List<Node> nodes = new ArrayList<>();
  final List<QuotaNode> quotas = new ArrayList<>();
  final List<QuotaUse> uses = new ArrayList<>();
  final List<JobBuilder> jobs = new ArrayList<>();
  final List<BudgetState> budgets = new ArrayList<>();
  final List<Licence> licences = new ArrayList<>();
  final List<SupplyOffer> offers = new ArrayList<>();
  final List<AdvanceReservation> advanceReservations = new ArrayList<>();
  final List<DomainQuarantine> domainQuarantines = new ArrayList<>();
  final List<Volume> volumes = new ArrayList<>();
  private final List<Price> prices = new ArrayList<>();

  Scene() {
    queue("default", null, QueueSettings.DEFAULT);
  }

  NodeBuilder cluster(String name) {
    return cluster(name, ClusterState.ACTIVE, CapacityType.RESERVED, false);
  }

  NodeBuilder cluster(String name, ClusterState state, CapacityType capacity, boolean sharing) {
    Capabilities capabilities =
        new Capabilities(
            "1.36",
            Capabilities.Fence.ENFORCED,
            GpuIdentity.ENFORCED,
            sharing,
            false,
            true,
            false,
            LEVELS,
            "cluster.local",
            false,
            List.of(),
            Collections.emptySortedMap(),
            null,
            List.of(),
            List.of(),
            Capabilities.Presence.UNKNOWN,
            List.of());
    ClusterId id = new ClusterId(new UUID(2, clusters.size() + 1));
    clusters.add(
        new Cluster(
            id,
            name,
            ClusterKind.SIMULATED,
            state,
            capacity,
            Collections.emptySortedMap(),
            ClusterSettings.DEFAULT,
            capabilities,
            NOW,
            NOW,
            null,
            1));
    return new NodeBuilder(this, name, id);
  }

  /** The cluster partitions its GPUs when slices are requested. */
  void cuts(String cluster) {
    clusters.replaceAll(c ->
        c.name().equals(cluster)
            ? c.moved(
                c.state(),
                NOW,
                null,
                new Capabilities(
                    "1.36",
                    Capabilities.Fence.ENFORCED,
                    GpuIdentity.ENFORCED,
                    c.capabilities().sharing(),
                    true,
                    true,
                    false,
                    LEVELS,
                    "cluster.local",
                    false,
                    List.of(),
                    Collections.emptySortedMap(),
                    null,
                    List.of(),
                    List.of(),
                    Presence.UNKNOWN,
                    List.of()))
            : c);
  }

  /** The cluster names its fabric so. */
  void fabric(String cluster, String resource) {
    settings(
        cluster, was -> ClusterSettings.of(List.of(), ClusterSettings.Pinning.DIRECT, resource));
  }

  /** Another scheduler chooses the nodes of the cluster. */
  void backend(String cluster, PlacementBackend.Kind kind) {
    settings(cluster, was -> was.withBackend(new PlacementBackend(kind, null, null, null)));
  }

  /** Changes the backend of this cluster to these PodGroups. */
  void podGroups(String cluster, PodGroupApi api) {
    PlacementBackend backend =
        new PlacementBackend(PlacementBackend.Kind.POD_GROUP, api.name(), null, null);
    settings(cluster, was -> was.withBackend(backend));
  }

  /** Removes the PodGroups of the backend of this cluster. */
  void withoutPodGroups(String cluster, PodGroupApi api) {
    podGroups(cluster, api);
    clusters.replaceAll(c ->
        c.name().equals(cluster)
            ? c.withCapabilities(
                c.capabilities().because(Capabilities.podGroups(api.name()), api.absent()))
            : c);
  }

  private void settings(String cluster, UnaryOperator<ClusterSettings> change) {
    clusters.replaceAll(
        c -> c.name().equals(cluster) ? c.withSettings(change.apply(c.settings())) : c);
  }

  /** Price of a GPU hour on a cluster that was described before. */
  void price(String cluster, String model, long micros) {
    clusters.replaceAll(c ->
        c.name().equals(cluster)
            ? new Cluster(
                c.id(),
                c.name(),
                c.kind(),
                c.state(),
                c.capacity(),
                new TreeMap<>(java.util.Map.of(model, micros)),
                ClusterSettings.DEFAULT,
                c.capabilities(),
                c.createdAt(),
                c.lastSeenAt(),
                c.trouble(),
                c.version())
            : c);
  }

  QuotaNodeId queue(String name, QuotaNodeId parent, QueueSettings settings, QuotaLimit... limits) {
    return queue(name, parent, settings, 1000, limits);
  }

  QuotaNodeId queue(
      String name, QuotaNodeId parent, QueueSettings settings, long weight, QuotaLimit... limits) {
    QuotaNodeId id = new QuotaNodeId(new UUID(3, quotas.size() + 1));
    quotas.add(
        new QuotaNode(
            id,
            TENANT,
            name,
            parent,
            parent == null ? 0 : 1,
            weight,
            List.of(limits),
            PreemptionRules.NONE,
            settings,
            SharePolicy.DOMINANT_SHARE,
            null,
            1));
    return id;
  }

  /** The children of the group are ordered by their fair share. */
  void divides(QuotaNodeId group) {
    shares(group, SharePolicy.DESERVED_SHARE);
  }

  /** The order of the group's children. */
  void shares(QuotaNodeId group, SharePolicy policy) {
    quotas.replaceAll(q -> q.id().equals(group) ? q.withShare(policy) : q);
  }

  /** Half-life of past usage. */
  void remembers(QuotaNodeId node, Duration halfLife) {
    quotas.replaceAll(q -> q.id().equals(node) ? q.withUsageHalfLife(halfLife) : q);
  }

  /** Single members get the emptiest node of the cluster. */
  void spreads(String cluster) {
    settings(cluster, was -> was.withScoring(ClusterSettings.Scoring.SPREAD));
  }

  /** Jobs of the cluster are moved when it pays. */
  void consolidates(String cluster) {
    settings(cluster, was -> was.withConsolidation(ClusterSettings.Consolidation.WHEN_IT_PAYS));
  }

  /** Time span in which the cluster may be used, null for unbounded. */
  void window(String cluster, Duration from, Duration until) {
    settings(
        cluster,
        was ->
            was.withWindow(
                new Window(
                    from == null ? null : NOW.plus(from), until == null ? null : NOW.plus(until))));
  }

  /** The jobs that the queue may evict. */
  void preempts(
      QuotaNodeId queue, PreemptionRules.WithinQueue within, PreemptionRules.Reclaim reclaim) {
    preempts(queue, new PreemptionRules(within, reclaim, false));
  }

  void preempts(QuotaNodeId queue, PreemptionRules rules) {
    quotas.replaceAll(q ->
        q.id().equals(queue)
            ? new QuotaNode(
                q.id(),
                q.tenant(),
                q.name(),
                q.parent(),
                q.depth(),
                q.weight(),
                q.limits(),
                rules,
                q.queue(),
                SharePolicy.DOMINANT_SHARE,
                null,
                q.version())
            : q);
  }

  QuotaNodeId group(String name, QuotaLimit... limits) {
    return queue(name, null, null, 1000, limits);
  }

  JobBuilder job(String name) {
    JobBuilder job = new JobBuilder(name, jobs.size() + 1, quotas.getFirst().id());
    jobs.add(job);
    return job;
  }

  World world() {
    return World.at(NOW)
        .clusters(clusters)
        .nodes(nodes)
        .quotaNodes(quotas)
        .quotaUses(uses)
        .pending(jobs.stream().map(JobBuilder::pending).toList())
        .prices(new PriceBook(prices))
        .budgets(budgets)
        .licences(licences)
        .offers(offers)
        .advanceReservations(advanceReservations)
        .domainQuarantines(domainQuarantines)
        .volumes(volumes)
        .build();
  }

  /** The price of a capacity type, on every cluster, from the beginning. */
  void costs(String model, CapacityType type, long micros, String currency) {
    costs(null, model, type, new Money(micros, currency));
  }

  /** The price of a capacity type on one cluster. */
  void costs(String cluster, String model, CapacityType type, Money each) {
    ClusterId id =
        clusters.stream()
            .filter(c -> c.name().equals(cluster))
            .map(Cluster::id)
            .findFirst()
            .orElse(null);
    prices.add(
        new Price(
            new PriceId(new UUID(7, prices.size() + 1)),
            new PriceScope(id, null, model, type),
            each,
            new Validity(NOW.minusSeconds(3600), null),
            null,
            null,
            NOW.minusSeconds(3600)));
  }

  /** The tiers of a queue's routing policy. */
  void routing(QuotaNodeId queue, RoutingPolicy.Tier... tiers) {
    routing(queue, new RoutingPolicy(List.of(tiers)));
  }

  void routing(QuotaNodeId queue, RoutingPolicy policy) {
    quotas.replaceAll(q -> q.id().equals(queue) ? q.withQueue(q.queue().withRouting(policy)) : q);
  }

  Planned plan() {
    return plan(1_000_000_000);
  }

  Planned plan(long workBudget, JobBuilder... first) {
    List<dev.fairlead.kernel.identity.JobId> ids =
        List.of(first).stream().map(JobBuilder::id).toList();
    World world = world();
    return new Planned(world, new SchedulingEngine().plan(new Snapshot(world, ids, workBudget)));
  }

  static QueueSettings strict() {
    return QueueSettings.of(QueueSettings.Order.STRICT_FIFO, QueueSettings.State.ACTIVE, null);
  }

  /** A plan with its world. */
  record Planned(World world, Plan plan) {
    /** Elements that start, in order of the plan. */
    List<Decision.Place> places(JobBuilder job) {
      return places().stream().filter(p -> p.job().equals(job.id())).toList();
    }

    List<Decision.Place> places() {
      return plan.decisions().stream()
          .filter(Decision.Place.class::isInstance)
          .map(Decision.Place.class::cast)
          .toList();
    }

    boolean starts(JobBuilder job) {
      return !places(job).isEmpty();
    }

    /** Names of the nodes of its only element, one per member. */
    List<String> nodes(JobBuilder job) {
      return places(job).getFirst().members().stream().map(m -> m.nodeName()).toList();
    }

    String cluster(JobBuilder job) {
      ClusterId id = places(job).getFirst().cluster();
      return world.clusters().stream()
          .filter(c -> c.id().equals(id))
          .findFirst()
          .orElseThrow()
          .name();
    }

    String classKey(JobBuilder job) {
      return plan.decisions().stream()
          .filter(d -> d instanceof Decision.Hold && d.job().equals(job.id()))
          .map(d -> ((Decision.Hold) d).classKey())
          .findFirst()
          .orElseThrow(() -> new AssertionError("it does not wait"));
    }

    Explanation why(JobBuilder job) {
      return plan.explanations().get(classKey(job));
    }

    Blocker first(JobBuilder job) {
      return why(job).first();
    }
  }
}
