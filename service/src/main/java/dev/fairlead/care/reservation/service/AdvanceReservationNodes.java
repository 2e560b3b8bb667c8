package dev.fairlead.care.reservation.service;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuModel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Selects the nodes of an advance reservation. */
final class AdvanceReservationNodes {
  /** Maximum nodes that a refusal names. */
  private static final int NAMED = 10;

  /** The least loaded nodes come first, so that little work must end or move. */
  private static final Comparator<Node> LEAST_LOADED =
      Comparator.comparingLong((Node node) -> node.allocated().gpuMilli())
          .thenComparingLong(node -> node.allocated().cpuMilli())
          .thenComparing(Node::cluster)
          .thenComparing(Node::name);

  private final InventoryStore inventory;
  private final List<AdvanceReservation> others;
  private final Instant start;
  private final Instant end;

  /**
   * @param open all advance reservations that have not ended
   */
  AdvanceReservationNodes(
      InventoryStore inventory, List<AdvanceReservation> open, Instant start, Instant end) {
    this.inventory = inventory;
    this.others =
        open.stream().filter(advanceReservation -> advanceReservation.meets(start, end)).toList();
    this.start = start;
    this.end = end;
  }

  /**
   * @throws Refusal INVALID_FIELD (no such cluster or node), ILLEGAL_STATE (a node is out of
   *     service, or too few are left), IN_USE (a node is reserved at that time)
   */
  List<Node> of(AdvanceReservationOrder order) {
    String cluster = order.cluster();
    ClusterId there = cluster == null ? null : cluster(cluster);
    List<String> named = order.nodes();
    List<Node> selection =
        (named == null ? inventory.nodes(there) : FleetNames.nodes(inventory, named))
            .stream()
                .filter(node -> there == null || node.cluster().equals(there))
                .filter(node -> in(order.pool(), node) && of(order.model(), node))
                .toList();
    return named == null
        ? chosen(selection, Objects.requireNonNull(order.count(), "count without nodes"))
        : named(selection, named);
  }

  private ClusterId cluster(String text) {
    return inventory.clusters().stream()
        .filter(cluster -> cluster.name().equals(text) || cluster.id().text().equals(text))
        .map(Cluster::id)
        .findFirst()
        .orElseThrow(
            () -> Refusal.field("/cluster", "There is no cluster \"%s\".".formatted(text)));
  }

  private static boolean in(@Nullable String pool, Node node) {
    NodePool its = node.pool();
    return pool == null || its != null && its.name().equals(pool);
  }

  private static boolean of(@Nullable String model, Node node) {
    return model == null || GpuModel.answers(node.gpuModel(), model);
  }

  private List<Node> named(List<Node> selection, List<String> names) {
    Map<String, List<Node>> known = new TreeMap<>();
    for (Node node : selection) {
      known.computeIfAbsent(node.name(), name -> new ArrayList<>()).add(node);
      known.computeIfAbsent(node.id().text(), name -> new ArrayList<>()).add(node);
    }
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      List<Node> found = known.getOrDefault(names.get(i), List.of());
      if (found.size() != 1) {
        throw Refusal.field(
            "/nodes/" + i,
            found.isEmpty()
                ? "The selection has no node \"%s\".".formatted(names.get(i))
                : "%d clusters have a node \"%s\". Use its id, or name the cluster."
                    .formatted(found.size(), names.get(i)));
      }
      if (!nodes.contains(found.getFirst())) {
        nodes.add(found.getFirst());
      }
    }
    refuseOutOfService(nodes);
    refuseBooked(nodes);
    return nodes;
  }

  private static void refuseOutOfService(List<Node> nodes) {
    List<Node> out = nodes.stream().filter(node -> node.state() != NodeState.ACTIVE).toList();
    if (!out.isEmpty()) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          ("%d of %d nodes are out of service: %s. Return them to service first, or reserve other"
                  + " nodes.")
              .formatted(
                  out.size(),
                  nodes.size(),
                  some(out.stream().map(node -> node.name() + " is " + node.state()).toList())));
    }
  }

  private void refuseBooked(List<Node> nodes) {
    List<String> taken = new ArrayList<>();
    for (Node node : nodes) {
      AdvanceReservation other = booked(node);
      if (other != null) {
        taken.add(
            "%s by \"%s\" from %s to %s"
                .formatted(node.name(), other.name(), other.start(), other.end()));
      }
    }
    if (!taken.isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "%d of %d nodes are reserved at that time: %s. Choose another time or other nodes."
              .formatted(taken.size(), nodes.size(), some(taken)));
    }
  }

  private @Nullable AdvanceReservation booked(Node node) {
    return others.stream().filter(other -> other.holds(node.id())).findFirst().orElse(null);
  }

  private static String some(List<String> all) {
    int more = all.size() - NAMED;
    String named = String.join(", ", all.subList(0, Math.min(NAMED, all.size())));
    return more > 0 ? named + " and " + more + " more" : named;
  }

  private List<Node> chosen(List<Node> selection, int count) {
    List<Node> active =
        selection.stream().filter(node -> node.state() == NodeState.ACTIVE).toList();
    List<Node> free = active.stream().filter(node -> booked(node) == null).toList();
    if (free.size() < count) {
      SortedMap<String, Object> numbers = new TreeMap<>();
      numbers.put("asked", count);
      numbers.put("selected", selection.size());
      numbers.put("outOfService", selection.size() - active.size());
      numbers.put("booked", active.size() - free.size());
      numbers.put("left", free.size());
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          ("%d nodes are requested from %s to %s. The selection has %d, of which %d are out of service and %d are reserved "
                  + "then: %d remain.")
              .formatted(
                  count,
                  start,
                  end,
                  selection.size(),
                  selection.size() - active.size(),
                  active.size() - free.size(),
                  free.size()),
          List.of(),
          numbers);
    }
    return free.stream().sorted(LEAST_LOADED).limit(count).toList();
  }
}
