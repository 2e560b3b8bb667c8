package dev.fairlead.care.booking.service;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.care.booking.BookingStore;
import dev.fairlead.care.booking.service.BookingView.NodeView;
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

/** Reads bookings. Platform roles see all, other roles the bookings for their projects. */
@Service
public class Bookings {
  private final Transactions transactions;
  private final BookingStore bookings;
  private final InventoryStore inventory;
  private final TenantStore tenants;

  public Bookings(
      Transactions transactions,
      BookingStore bookings,
      InventoryStore inventory,
      TenantStore tenants) {
    this.transactions = transactions;
    this.bookings = bookings;
    this.inventory = inventory;
    this.tenants = tenants;
  }

  /** Bookings that have not ended, by start. */
  public List<BookingView> all(Actor actor) {
    return transactions.read(() -> views(open(actor)));
  }

  /**
   * Reads a booking. Platform roles can also read an ended booking by its id.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public BookingView one(Actor actor, String text) {
    return transactions.read(() -> view(found(actor, text)));
  }

  /** In the open transaction. */
  Booking found(Actor actor, String text) {
    Optional<Booking> ended =
        platform(actor)
            ? IdText.decode(IdKind.BOOKING, text).flatMap(id -> bookings.booking(new BookingId(id)))
            : Optional.empty();
    return open(actor).stream()
        .filter(booking -> booking.id().text().equals(text) || booking.name().equals(text))
        .findFirst()
        .or(() -> ended)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no booking \"" + text + "\"."));
  }

  private List<Booking> open(Actor actor) {
    return platform(actor) ? bookings.open() : bookings.open(actor.tenant(), actor.projects());
  }

  private static boolean platform(Actor actor) {
    return actor.roles().stream().anyMatch(role -> role.scope() == Role.Scope.PLATFORM);
  }

  /** The present state, in the open transaction. */
  BookingView view(Booking booking) {
    return views(List.of(booking)).getFirst();
  }

  private List<BookingView> views(List<Booking> found) {
    SortedSet<NodeId> ids = new TreeSet<>();
    found.forEach(booking -> booking.nodes().forEach(node -> ids.add(node.id())));
    SortedMap<NodeId, NodeState> states = new TreeMap<>();
    for (Node node : inventory.inService(ids)) {
      states.put(node.id(), node.state());
    }
    SortedMap<ClusterId, String> names = new TreeMap<>();
    Instant now = bookings.now();
    return found.stream().map(booking -> view(booking, states, names, now)).toList();
  }

  private BookingView view(
      Booking booking,
      SortedMap<NodeId, NodeState> states,
      SortedMap<ClusterId, String> names,
      Instant now) {
    List<NodeView> nodes =
        booking.nodes().stream()
            .map(node ->
                NodeView.of(
                    node,
                    names.computeIfAbsent(node.cluster(), this::clusterName),
                    states.get(node.id())))
            .sorted(Comparator.comparing(NodeView::cluster).thenComparing(NodeView::name))
            .toList();
    BookingOwner owner = booking.owner();
    String tenant =
        owner == null
            ? null
            : tenants.tenant(owner.tenant()).map(Tenant::name).orElseGet(owner.tenant()::text);
    return BookingView.of(booking, tenant, nodes, now);
  }

  private String clusterName(ClusterId cluster) {
    return inventory.nameOf(cluster).orElseGet(cluster::text);
  }
}
