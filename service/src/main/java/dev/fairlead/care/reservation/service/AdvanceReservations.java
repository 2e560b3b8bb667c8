package dev.fairlead.care.reservation.service;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.reservation.service.AdvanceReservationView.NodeView;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.stereotype.Service;

/**
 * Reads advance reservations. Platform roles see all, other roles the advance reservations for
 * their projects.
 */
@Service
public class AdvanceReservations {
  private final Transactions transactions;
  private final AdvanceReservationStore advanceReservations;
  private final InventoryStore inventory;
  private final TenantStore tenants;

  public AdvanceReservations(
      Transactions transactions,
      AdvanceReservationStore advanceReservations,
      InventoryStore inventory,
      TenantStore tenants) {
    this.transactions = transactions;
    this.advanceReservations = advanceReservations;
    this.inventory = inventory;
    this.tenants = tenants;
  }

  /** Lists advance reservations that have not ended, by start. */
  public List<AdvanceReservationView> all(Actor actor) {
    return transactions.read(() -> views(open(actor)));
  }

  /**
   * Reads an advance reservation. Platform roles can also read an ended advance reservation by its
   * id.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public AdvanceReservationView one(Actor actor, String text) {
    return transactions.read(() -> view(found(actor, text)));
  }

  /** Runs in the open transaction. */
  AdvanceReservation found(Actor actor, String text) {
    Optional<AdvanceReservation> ended =
        platform(actor)
            ? IdText.decode(IdKind.ADVANCE_RESERVATION, text)
                .flatMap(id -> advanceReservations.advanceReservation(new AdvanceReservationId(id)))
            : Optional.empty();
    return open(actor).stream()
        .filter(advanceReservation ->
            advanceReservation.id().text().equals(text) || advanceReservation.name().equals(text))
        .findFirst()
        .or(() -> ended)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND, "There is no advance reservation \"" + text + "\"."));
  }

  private List<AdvanceReservation> open(Actor actor) {
    return platform(actor)
        ? advanceReservations.open()
        : advanceReservations.open(actor.tenant(), actor.projects());
  }

  private static boolean platform(Actor actor) {
    return actor.roles().stream().anyMatch(role -> role.scope() == Role.Scope.PLATFORM);
  }

  /** The current state, in the open transaction. */
  AdvanceReservationView view(AdvanceReservation advanceReservation) {
    return views(List.of(advanceReservation)).getFirst();
  }

  private List<AdvanceReservationView> views(List<AdvanceReservation> found) {
    SortedSet<NodeId> ids = new TreeSet<>();
    found.forEach(
        advanceReservation -> advanceReservation.nodes().forEach(node -> ids.add(node.id())));
    SortedMap<NodeId, NodeState> states = new TreeMap<>();
    for (Node node : inventory.inService(ids)) {
      states.put(node.id(), node.state());
    }
    SortedMap<ClusterId, String> names = new TreeMap<>();
    Instant now = advanceReservations.now();
    return found.stream()
        .map(advanceReservation -> view(advanceReservation, states, names, now))
        .toList();
  }

  private AdvanceReservationView view(
      AdvanceReservation advanceReservation,
      SortedMap<NodeId, NodeState> states,
      SortedMap<ClusterId, String> names,
      Instant now) {
    List<NodeView> nodes =
        advanceReservation.nodes().stream()
            .map(node ->
                NodeView.of(
                    node,
                    names.computeIfAbsent(node.cluster(), this::clusterName),
                    states.get(node.id())))
            .sorted(Comparator.comparing(NodeView::cluster).thenComparing(NodeView::name))
            .toList();
    AdvanceReservationOwner owner = advanceReservation.owner();
    String tenant =
        owner == null
            ? null
            : tenants.tenant(owner.tenant()).map(Tenant::name).orElseGet(owner.tenant()::text);
    return AdvanceReservationView.of(advanceReservation, tenant, nodes, now);
  }

  private String clusterName(ClusterId cluster) {
    return inventory.nameOf(cluster).orElseGet(cluster::text);
  }
}
