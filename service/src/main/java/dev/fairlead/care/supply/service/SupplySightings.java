package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.NodeSighting;
import dev.fairlead.care.supply.SuppliedNode;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.SpareNodes;
import dev.fairlead.fleet.node.CapacityReservations;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Nodes of provisioners at one point in time. */
final class SupplySightings {
  /** Maximum number of earlier requests of a pool that are searched for a node that returned. */
  private static final int MOST_EARLIER = 100;

  private static final String LEFT = ", and the autoscaler manages it";

  private final SupplyStore store;
  private final InventoryStore inventory;
  private final Instant at;
  private final SortedMap<ClusterId, Cluster> clusters = new TreeMap<>();
  private final SortedMap<ClusterId, SortedMap<String, Node>> nodes = new TreeMap<>();
  private final NavigableSet<NodeId> taken = new TreeSet<>();

  /** Times since which clusters report named nodes that are not assigned to their request yet. */
  private final SortedMap<ClusterId, SortedMap<String, Instant>> shown = new TreeMap<>();

  /** The first request that retains the node, or the last request that names it. */
  private final Map<NodeKey, Holder> holders = new HashMap<>();

  /** Returned nodes by pool, read on first use of the pool. */
  private final SortedMap<PoolId, Set<NodeId>> handedBack = new TreeMap<>();

  private record Holder(SupplyRequestId request, boolean keeps) {}

  private record NodeKey(ClusterId cluster, String name) {}

  /**
   * Reads the nodes of the clusters of these requests.
   *
   * @param requests oldest first
   * @param at time, by the database clock
   */
  SupplySightings(
      InventoryStore inventory,
      SupplyStore store,
      CapacityReservations rooms,
      List<SupplyRequest> requests,
      Instant at) {
    this.store = store;
    this.at = at;
    this.inventory = inventory;
    FleetSource.Fleet fleet = inventory.fleet();
    requests.forEach(each -> nodes.put(each.asked().cluster(), new TreeMap<>()));
    requests.forEach(this::hold);
    fleet.clusters().forEach(cluster -> clusters.put(cluster.id(), cluster));
    List<Node> own = fleet.nodes().stream().filter(n -> nodes.containsKey(n.cluster())).toList();
    for (Node node : own) {
      nodes.getOrDefault(node.cluster(), new TreeMap<>()).put(node.name(), node);
    }
    rooms.kept().forEach(kept -> taken.add(kept.node()));
    SpareNodes.all(fleet.clusters(), own, taken::contains).forEach(n -> taken.add(n.id()));
    nodes.keySet().forEach(cluster -> taken.addAll(inventory.busy(cluster)));
    taken.addAll(inventory.pods(delivered(requests)).keySet()); // also for unreported nodes
    named(requests)
        .forEach((cluster, names) -> shown.put(cluster, inventory.shownSince(cluster, names)));
  }

  private static Set<NodeId> delivered(List<SupplyRequest> requests) {
    return requests.stream()
        .flatMap(each -> each.delivered().stream())
        .map(SuppliedNode::id)
        .filter(Objects::nonNull)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static SortedMap<ClusterId, SortedSet<String>> named(List<SupplyRequest> requests) {
    SortedMap<ClusterId, SortedSet<String>> names = new TreeMap<>();
    for (SupplyRequest each : requests) {
      for (SuppliedNode node : each.delivered()) {
        if (node.id() == null) {
          names.computeIfAbsent(each.asked().cluster(), c -> new TreeSet<>()).add(node.name());
        }
      }
    }
    return names;
  }

  private void hold(SupplyRequest request) {
    for (SuppliedNode node : request.delivered()) {
      holders.merge(
          new NodeKey(request.asked().cluster(), node.name()),
          new Holder(request.id(), node.kept()),
          (earlier, later) -> earlier.keeps() ? earlier : later);
    }
  }

  private boolean holds(SupplyRequest request, SuppliedNode node) {
    Holder holder = holders.get(new NodeKey(request.asked().cluster(), node.name()));
    return holder != null && holder.request().equals(request.id());
  }

  /** Returns the time of the state, by the database clock. */
  Instant at() {
    return at;
  }

  /** Returns the nodes that the provisioner named, by name. */
  SortedMap<String, NodeSighting> of(SupplyRequest request, Supply supply, String pool) {
    SortedMap<String, NodeSighting> seen = new TreeMap<>();
    for (SuppliedNode named : request.delivered()) {
      boolean holds = holds(request, named);
      NodeId id = named.id();
      if (!holds && id != null) {
        continue;
      }
      Node node = node(request, named.name());
      if (node != null) {
        boolean takes = node.state() == NodeState.ACTIVE;
        boolean used = taken.contains(node.id()) || busy(node);
        String others = holds ? null : "it belongs to another request and is left unchanged";
        String foreign = id == null && holds ? foreign(request, named, node, supply, pool) : others;
        seen.put(
            named.name(),
            new NodeSighting(
                node.id(),
                takes,
                used,
                foreign == null ? difference(node, supply, pool) : foreign,
                foreign != null,
                outOfUse(node)));
      } else if (id != null && taken.contains(id)) {
        seen.put(named.name(), new NodeSighting(id, false, true, null, false, false));
      }
    }
    return seen;
  }

  /**
   * Returns nodes that the request waits for and that are out of service because an earlier request
   * returned them. Foreign nodes remain unchanged, because nothing would drain or return them.
   *
   * @param seen result of {@link #of}
   */
  List<NodeId> backAgain(SupplyRequest request, SortedMap<String, NodeSighting> seen) {
    if (!request.state().waits()) {
      return List.of();
    }
    return request.delivered().stream()
        .filter(node -> node.readyAt() == null)
        .filter(node -> {
          NodeSighting sighting = seen.get(node.name());
          return sighting != null && !sighting.takes() && !sighting.foreign();
        })
        .map(node -> node(request, node.name()))
        .filter(node -> node != null && outOfUse(node) && wasHandedBack(request, node.id()))
        .map(Node::id)
        .toList();
  }

  private static boolean outOfUse(Node node) {
    return node.state() == NodeState.DRAINING || node.state() == NodeState.CORDONED;
  }

  /**
   * Returns whether an earlier request of the same pool and cluster returned the node and its
   * provisioner confirmed the return.
   */
  private boolean wasHandedBack(SupplyRequest request, NodeId node) {
    return handedBack.computeIfAbsent(request.asked().pool(), this::handedBackOf).contains(node);
  }

  private Set<NodeId> handedBackOf(PoolId pool) {
    return store.requests(pool, MOST_EARLIER).stream()
        .filter(earlier -> !earlier.talk().handsBack())
        .flatMap(earlier -> earlier.delivered().stream())
        .filter(node -> node.drainedAt() != null && node.returnedAt() != null)
        .map(SuppliedNode::id)
        .filter(Objects::nonNull)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns null if its cluster does not report the node. */
  private @Nullable Node node(SupplyRequest request, String name) {
    return nodes.getOrDefault(request.asked().cluster(), new TreeMap<>()).get(name);
  }

  private static boolean busy(Node node) {
    return node.allocated().pods() > 0 || node.foreign().gpuMilli() > 0;
  }

  /**
   * Adds nodes of the pool that its autoscaler created, or that an earlier request returned and
   * that still exist. After the deadline, also adds new nodes that differ from the request. They
   * are reported and left to the autoscaler.
   */
  SupplyRequest claimed(SupplyRequest request, Supply supply, Pool pool) {
    int wanted = request.unnamed();
    if (wanted == 0) {
      return request;
    }
    SortedMap<String, Node> free = free(request, supply, pool);
    SortedMap<String, Instant> since =
        inventory.shownSince(request.asked().cluster(), new TreeSet<>(free.keySet()));
    boolean over = !request.asked().deadline().isAfter(at);
    List<String> names =
        free.values().stream()
            .filter(node -> {
              boolean fits = difference(node, supply, pool.name()) == null;
              return isNew(request, since.get(node.name()))
                  ? fits ? node.state() == NodeState.ACTIVE : over
                  : fits && outOfUse(node) && wasHandedBack(request, node.id());
            })
            .sorted(Comparator.comparing(node -> difference(node, supply, pool.name()) != null))
            .limit(wanted)
            .map(Node::name)
            .toList();
    if (names.isEmpty()) {
      return request;
    }
    shown.computeIfAbsent(request.asked().cluster(), cluster -> new TreeMap<>()).putAll(since);
    SupplyRequest claimed = request.claimed(names, at);
    hold(claimed);
    return claimed;
  }

  private static boolean isNew(SupplyRequest request, @Nullable Instant since) {
    return request.state() == SupplyState.GRANTED
        && since != null
        && !since.isBefore(request.asked().at());
  }

  /**
   * Returns nodes that no request retains and that are in the pool, or have the labels of its
   * nodes.
   */
  private SortedMap<String, Node> free(SupplyRequest request, Supply supply, Pool pool) {
    SortedMap<String, String> labels = SupplyOffer.labels(supply, pool);
    SortedMap<String, Node> free = new TreeMap<>();
    for (Node node : nodes.getOrDefault(request.asked().cluster(), new TreeMap<>()).values()) {
      Holder holder = holders.get(new NodeKey(request.asked().cluster(), node.name()));
      NodePool its = node.pool();
      boolean in =
          its == null
              ? node.labels().entrySet().containsAll(labels.entrySet())
              : its.name().equals(pool.name());
      if (in && (holder == null || !holder.keeps() && !holder.request().equals(request.id()))) {
        free.put(node.name(), node);
      }
    }
    return free;
  }

  /** Explains why the node cannot have been added for the request. Returns null if it can. */
  private @Nullable String foreign(
      SupplyRequest request, SuppliedNode named, Node node, Supply supply, String pool) {
    String why = foreign(request, node, pool);
    if (why != null || supply.provisioner() instanceof Supply.Webhook) {
      return why;
    }
    String other = difference(node, supply, pool);
    if (other != null) {
      return other + LEFT;
    }
    return named.foreign() && !request.state().waits() ? named.trouble() : null;
  }

  private @Nullable String foreign(SupplyRequest request, Node node, String pool) {
    Instant since =
        shown.getOrDefault(node.cluster(), Collections.emptySortedMap()).get(node.name());
    boolean before = since == null || since.isBefore(request.asked().at());
    if (before && !wasHandedBack(request, node.id())) {
      return "existed before the request and is left unchanged";
    }
    NodePool its = node.pool();
    return its == null || its.name().equals(pool)
        ? null
        : "belongs to pool " + its.name() + ", not " + pool + ", and is left alone";
  }

  private @Nullable String difference(Node node, Supply supply, String pool) {
    NodePool its = node.pool();
    Cluster cluster = clusters.get(node.cluster());
    if (its == null || !its.name().equals(pool)) {
      return "belongs to " + (its == null ? "no pool" : "pool " + its.name()) + ", not " + pool;
    }
    return cluster == null ? null : supply.kind().difference(node, cluster).orElse(null);
  }
}
