package dev.fairlead.work.placement.shape;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.fleet.node.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The advance reservations that close their nodes to a job. Two objects with the same advance
 * reservations are equal, because the nodes of an advance reservation never change.
 */
public final class BookedNodes {
  public static final BookedNodes NONE = new BookedNodes(List.of());

  private final List<AdvanceReservation> advanceReservations;
  private final List<AdvanceReservationId> ids;

  private BookedNodes(List<AdvanceReservation> advanceReservations) {
    this.advanceReservations = advanceReservations;
    ids = advanceReservations.stream().map(AdvanceReservation::id).toList();
  }

  public static BookedNodes of(List<AdvanceReservation> advanceReservations) {
    return advanceReservations.isEmpty() ? NONE : new BookedNodes(List.copyOf(advanceReservations));
  }

  public List<AdvanceReservation> advanceReservations() {
    return advanceReservations;
  }

  public boolean none() {
    return advanceReservations.isEmpty();
  }

  public boolean has(NodeId node) {
    for (AdvanceReservation advanceReservation : advanceReservations) {
      if (advanceReservation.holds(node)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the advance reservations without the given one. */
  public BookedNodes without(AdvanceReservation one) {
    return of(
        advanceReservations.stream()
            .filter(advanceReservation -> !advanceReservation.id().equals(one.id()))
            .toList());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BookedNodes its && ids.equals(its.ids);
  }

  @Override
  public int hashCode() {
    return ids.hashCode();
  }

  @Override
  public String toString() {
    return ids.toString();
  }
}
