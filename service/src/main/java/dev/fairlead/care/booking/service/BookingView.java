package dev.fairlead.care.booking.service;

import dev.fairlead.care.booking.BookedNode;
import dev.fairlead.care.booking.Booking;
import dev.fairlead.fleet.node.NodeState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A booking as people read it.
 *
 * @param tenant name of the project's tenant; null for maintenance
 * @param nodes by cluster, then name
 */
public record BookingView(
    Booking booking, BookingState state, @Nullable String tenant, List<NodeView> nodes) {
  public BookingView {
    nodes = List.copyOf(nodes);
  }

  /** Where it stands in time. */
  public enum BookingState {
    /** Its start is to come. */
    UPCOMING,
    /** It has begun. */
    CURRENT,
    /** Its end has come. */
    ENDED
  }

  /**
   * A node of it as it is now.
   *
   * @param state null when it is gone from its cluster
   */
  public record NodeView(BookedNode node, String cluster, @Nullable NodeState state) {}

  /** How many of its nodes are gone or out of service. */
  public int missing() {
    return (int) nodes.stream().filter(node -> node.state() != NodeState.ACTIVE).count();
  }
}
