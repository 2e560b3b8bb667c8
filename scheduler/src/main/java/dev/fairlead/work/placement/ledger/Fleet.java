package dev.fairlead.work.placement.ledger;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.SpareNodes;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceList;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.backoff.BackOffs;
import dev.fairlead.work.placement.backoff.Refusals;
import dev.fairlead.work.placement.node.NeighbourCounts;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.ReservedCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.world.VolumePlaces;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The working copy of all clusters. Contradictory rows are resolved or ignored. If two clusters
 * have the same id or name, the newer version is used. The same applies to two nodes with the same
 * id, or with the same name in one cluster. Nodes of a cluster that does not exist are ignored.
 */
public final class Fleet {
  private final List<ClusterCapacity> clusters;
  private final NeighbourCounts neighbours;

  private @Nullable SortedMap<NodeId, NodeCapacity> byNode;
  private final SortedMap<NodeId, ReservedCapacity> reserved = new TreeMap<>();
  private BackOffs backOffs = BackOffs.NONE;
  private Refusals refusals = Refusals.NONE;
  private VolumePlaces volumes = VolumePlaces.NONE;
  private final List<NodeCapacity> spares = new ArrayList<>();
  private PriceList prices = new PriceList(PriceBook.EMPTY, Instant.EPOCH);
  private SortedSet<String> scarce = Collections.emptySortedSet();
  private List<SupplyOffer> offers = List.of();
  private List<AdvanceReservation> advanceReservations = List.of();
  private List<DomainQuarantine> domainQuarantines = List.of();
  private @Nullable SortedMap<ClusterPart, List<QuarantinedNode>> quarantined;
  private @Nullable Fleet supplied;

  private Fleet(List<ClusterCapacity> clusters, NeighbourCounts neighbours) {
    this.clusters = clusters;
    this.neighbours = neighbours;
  }

  public static Fleet of(Collection<Cluster> clusters, Collection<Node> nodes) {
    return of(clusters, nodes, new NeighbourCounts(), Collections.emptySortedMap());
  }

  /** Returns a fleet with the nodes that pools could get from their provisioners. */
  public static Fleet of(
      Collection<Cluster> clusters, Collection<Node> nodes, List<SupplyOffer> offers) {
    Fleet fleet = of(clusters, nodes);
    fleet.offers = offers;
    return fleet;
  }

  private static Fleet of(
      Collection<Cluster> clusters,
      Collection<Node> nodes,
      NeighbourCounts neighbours,
      SortedMap<ClusterPart, ClusterCycleCache> before) {
    Comparator<Cluster> byVersion = Comparator.comparingLong(Cluster::version);
    Comparator<Node> nodeByVersion = Comparator.comparingLong(Node::version);
    SortedMap<ClusterId, List<Node>> nodesOf = new TreeMap<>();
    for (Node node : once(nodes, Node::id, nodeByVersion)) {
      if (node.state() != NodeState.RETIRED) {
        nodesOf.computeIfAbsent(node.cluster(), c -> new ArrayList<>()).add(node);
      }
    }
    List<ClusterCapacity> capacities = new ArrayList<>();
    List<Cluster> byId = once(clusters, Cluster::id, byVersion);
    for (Cluster cluster : once(byId, Cluster::name, byVersion)) {
      List<Node> own = nodesOf.getOrDefault(cluster.id(), List.of());
      List<Node> byName = once(own, Node::name, nodeByVersion);
      SortedMap<ClusterPart, List<Node>> parts = parts(cluster, byName);
      boolean whole = parts.size() == 1;
      parts.forEach((part, its) ->
          capacities.add(
              new ClusterCapacity(
                  cluster.offering(part.capacity()),
                  part,
                  whole,
                  its,
                  neighbours,
                  before.get(part))));
    }
    return new Fleet(capacities, neighbours);
  }

  /** Groups nodes by part of the cluster. A cluster without nodes has one empty part. */
  private static SortedMap<ClusterPart, List<Node>> parts(Cluster cluster, List<Node> nodes) {
    SortedMap<ClusterPart, List<Node>> parts = new TreeMap<>();
    ClusterPart last = ClusterPart.of(cluster);
    for (Node node : nodes) {
      if (!Objects.equals(node.pool(), last.pool())
          || cluster.capacityOf(node) != last.capacity()) {
        last = ClusterPart.of(cluster, node);
      }
      parts.computeIfAbsent(last, part -> new ArrayList<>()).add(node);
    }
    if (parts.isEmpty()) {
      parts.put(last, List.of());
    }
    return parts;
  }

  /** Returns whether this part of a cluster has any member of an attempt. */
  public boolean runsOn(Attempt attempt, Collection<Member> members, ClusterCapacity cluster) {
    return runsOn(attempt.cluster(), members, cluster);
  }

  /** Returns whether this part of a cluster has any member. */
  public boolean runsOn(ClusterId of, Collection<Member> members, ClusterCapacity cluster) {
    return of.equals(cluster.cluster().id())
        && (cluster.whole()
            || members.stream()
                .map(member -> capacity(member.node()))
                .anyMatch(capacity -> capacity != null && cluster.has(capacity)));
  }

  /** Returns the part on which the first known member runs, null if none. */
  public @Nullable ClusterCapacity home(Collection<Member> members) {
    for (Member member : members) {
      NodeCapacity capacity = capacity(member.node());
      for (ClusterCapacity cluster : clusters) {
        if (capacity != null && cluster.has(capacity)) {
          return cluster;
        }
      }
    }
    return null;
  }

  /** Returns one row for each key, sorted by key. */
  private static <T, K extends Comparable<? super K>> List<T> once(
      Collection<T> rows, Function<T, K> key, Comparator<T> byVersion) {
    List<T> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparing(key));
    List<T> once = new ArrayList<>(sorted.size());
    for (T row : sorted) {
      if (!once.isEmpty() && key.apply(once.getLast()).equals(key.apply(row))) {
        once.set(once.size() - 1, newer(byVersion).apply(once.getLast(), row));
      } else {
        once.add(row);
      }
    }
    return once;
  }

  private static <T> BinaryOperator<T> newer(Comparator<T> byVersion) {
    return BinaryOperator.maxBy(byVersion.thenComparing(Object::toString));
  }

  public int nodes() {
    return clusters.stream().mapToInt(cluster -> cluster.capacities().size()).sum();
  }

  /** Returns the GPUs of all nodes by flavor. A flavor without GPUs has no entry. */
  public SortedMap<Flavor, Long> gpus() {
    SortedMap<Flavor, Long> gpus = new TreeMap<>();
    for (ClusterCapacity cluster : clusters) {
      for (NodeCapacity capacity : cluster.capacities()) {
        long here = capacity.slots().size();
        if (here > 0) {
          Flavor flavor = new Flavor(capacity.node().gpuModel(), cluster.cluster().capacity());
          gpus.merge(flavor, here, Long::sum);
        }
      }
    }
    return gpus;
  }

  /** Returns the cache for the next cycle. */
  public SortedMap<ClusterPart, ClusterCycleCache> cache() {
    SortedMap<ClusterPart, ClusterCycleCache> cache = new TreeMap<>();
    clusters.forEach(capacity -> cache.put(capacity.part(), capacity.cache()));
    return cache;
  }

  /** Returns a fleet with the members of live attempts as neighbours. */
  public static Fleet of(World world) {
    return of(world, Collections.emptySortedMap());
  }

  /**
   * @param before the result of {@link #cache} in the last cycle
   */
  public static Fleet of(World world, SortedMap<ClusterPart, ClusterCycleCache> before) {
    Fleet fleet = of(world.clusters(), world.nodes(), NeighbourCounts.of(world), before);
    if (!fleet.neighbours.isEmpty()) {
      world.live().forEach(fleet::inhabit);
    }
    fleet.keepSpares(world.reservations());
    fleet.backOffs = BackOffs.of(world);
    fleet.refusals = Refusals.of(world);
    fleet.volumes = world.volumePlaces();
    fleet.prices = new PriceList(world.prices(), world.asOf());
    fleet.offers = world.offers();
    fleet.advanceReservations = world.advanceReservations();
    fleet.domainQuarantines = world.domainQuarantines();
    fleet.backOffs.everybody().forEach((node, until) -> fleet.backOff(node, true));
    return fleet;
  }

  private void keepSpares(List<Reservation> reservations) {
    Set<NodeId> kept = new TreeSet<>();
    for (ClusterCapacity cluster : clusters) {
      NodePool pool = cluster.pool();
      if (pool != null && !pool.spares().none()) {
        if (kept.isEmpty()) {
          reservations.forEach(r -> r.members().forEach(member -> kept.add(member.node())));
        }
        List<Node> nodes = cluster.capacities().stream().map(NodeCapacity::node).toList();
        for (Node node : SpareNodes.of(nodes, kept::contains)) {
          NodeCapacity capacity = Objects.requireNonNull(capacity(node.id()));
          capacity.spare(true);
          spares.add(capacity);
        }
      }
    }
  }

  /** Returns the empty nodes that are reserved for gangs that lose a node. */
  public List<NodeCapacity> spares() {
    return Collections.unmodifiableList(spares);
  }

  /** Permits jobs to use the spares. Running the result reserves them again. */
  public Undo lendSpares() {
    spares.forEach(capacity -> capacity.spare(false));
    return () -> spares.forEach(capacity -> capacity.spare(true));
  }

  /**
   * Restricts the cluster to these nodes and the spares. Running the result opens the other nodes
   * again.
   */
  public Undo only(ClusterId cluster, Collection<NodeId> nodes) {
    SortedSet<NodeId> wanted = new TreeSet<>(nodes);
    spares.forEach(capacity -> wanted.add(capacity.node().id()));
    List<NodeCapacity> others =
        clusters.stream()
            .filter(its -> its.cluster().id().equals(cluster))
            .flatMap(its -> its.capacities().stream())
            .filter(capacity -> !wanted.contains(capacity.node().id()))
            .toList();
    return without(others);
  }

  /** Closes these nodes. Running the result opens them again. */
  public Undo without(List<NodeCapacity> nodes) {
    nodes.forEach(capacity -> capacity.exclude(true));
    return () -> nodes.forEach(capacity -> capacity.exclude(false));
  }

  private void backOff(NodeId node, boolean now) {
    NodeCapacity capacity = capacity(node);
    if (capacity != null) {
      capacity.backOff(now);
    }
  }

  /** Sets the models that are tried after others that are suitable. */
  public void scarce(SortedSet<String> models) {
    scarce = Collections.unmodifiableSortedSet(new TreeSet<>(models));
  }

  /** Returns the models that are reserved for jobs that can use no other model. */
  public SortedSet<String> scarce() {
    return scarce;
  }

  /** Returns the current prices of its GPUs. */
  public PriceList prices() {
    return prices;
  }

  /** Returns the advance reservations that have not ended, by start. */
  public List<AdvanceReservation> advanceReservations() {
    return advanceReservations;
  }

  /** Returns the nodes of the part that are quarantined with their topology domain, by name. */
  public List<QuarantinedNode> quarantined(ClusterCapacity part) {
    SortedMap<ClusterPart, List<QuarantinedNode>> known = quarantined;
    if (known == null) {
      known = QuarantinedNode.find(domainQuarantines, clusters);
      quarantined = known;
    }
    return known.getOrDefault(part.part(), List.of());
  }

  /** Returns the nodes that pools could get from their provisioners. */
  public List<SupplyOffer> offers() {
    return offers;
  }

  /**
   * Returns a fleet of only the nodes that provisioners could add, grouped by pool. The result is
   * null if no provisioner could add any.
   */
  public @Nullable Fleet supplied() {
    if (supplied == null && !offers.isEmpty()) {
      supplied = supplied(clusters, offers);
      supplied.prices = prices;
    }
    return supplied == null || supplied.clusters.isEmpty() ? null : supplied;
  }

  private static Fleet supplied(List<ClusterCapacity> real, List<SupplyOffer> offers) {
    SortedMap<ClusterId, Cluster> joined = new TreeMap<>();
    List<Node> nodes = new ArrayList<>();
    for (SupplyOffer offer : offers) {
      Cluster cluster = null;
      for (ClusterCapacity part : real) {
        if (part.cluster().id().equals(offer.cluster())) {
          cluster = part.cluster();
          if (offer.nodePool().equals(part.pool())) {
            part.capacities().forEach(capacity -> nodes.add(capacity.node()));
          }
        }
      }
      int more = offer.room() + offer.coming();
      if (cluster != null && more > 0) {
        joined.put(cluster.id(), cluster);
        nodes.addAll(offer.nodes(cluster, more));
      }
    }
    return of(joined.values(), nodes);
  }

  /** Returns the nodes that are avoided. */
  public BackOffs backOffs() {
    return backOffs;
  }

  /** Returns the locations of volumes. */
  public VolumePlaces volumes() {
    return volumes;
  }

  /** Returns the clusters that refused pods. */
  public Refusals refusals() {
    return refusals;
  }

  /** Simulates a later time: nodes with a back-off that ends by that time are usable again. */
  public Undo forgive(Instant then) {
    List<NodeId> forgiven = new ArrayList<>();
    backOffs
        .everybody()
        .forEach((node, until) -> {
          if (!until.isAfter(then)) {
            forgiven.add(node);
          }
        });
    forgiven.forEach(node -> backOff(node, false));
    return () -> forgiven.forEach(node -> backOff(node, true));
  }

  /** Returns the members by the terms of jobs. */
  public NeighbourCounts neighbours() {
    return neighbours;
  }

  /**
   * Permits other members of the same job to join. Running the result restores it as a neighbour.
   */
  public Undo alone(Attempt attempt, Neighbours its) {
    occupy(attempt.members(), its, -1);
    return () -> occupy(attempt.members(), its, 1);
  }

  private void inhabit(World.LiveAttempt live) {
    Neighbours its = neighbours.of(live.job());
    List<Member> members = live.attempt().members();
    if (!its.any()) {
      neighbours.hold(
          live.job(),
          its,
          members.stream().map(m -> capacity(m.node())).filter(Objects::nonNull).toList());
      occupy(members, its, 1);
    }
  }

  private void occupy(List<Member> members, Neighbours its, int sign) {
    for (Member member : its.any() ? List.<Member>of() : members) {
      NodeCapacity capacity = capacity(member.node());
      if (capacity != null) {
        capacity.occupy(its, true, sign);
      }
    }
  }

  /** Returns the parts of all clusters, by cluster name, then pool, then capacity type. */
  public List<ClusterCapacity> clusters() {
    return clusters;
  }

  /** Returns the node, null if it does not exist or was ignored. */
  public @Nullable NodeCapacity capacity(NodeId node) {
    SortedMap<NodeId, NodeCapacity> known = byNode;
    if (known == null) {
      known = new TreeMap<>();
      for (ClusterCapacity cluster : clusters) {
        for (NodeCapacity capacity : cluster.capacities()) {
          known.put(capacity.node().id(), capacity);
        }
      }
      byNode = known;
    }
    return known.get(node);
  }

  /** Returns the reserved capacity of the node, null if the node does not exist or was ignored. */
  public @Nullable ReservedCapacity reserved(NodeId node) {
    ReservedCapacity known = reserved.get(node);
    if (known != null) {
      return known;
    }
    NodeCapacity capacity = capacity(node);
    if (capacity != null) {
      known = new ReservedCapacity(capacity);
      reserved.put(node, known);
    }
    return known;
  }
}
