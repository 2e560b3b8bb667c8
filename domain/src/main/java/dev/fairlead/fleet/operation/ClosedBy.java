package dev.fairlead.fleet.operation;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/** What closes a node, without an order, to work that has to leave it. */
public sealed interface ClosedBy {
  /**
   * Whether a job has to leave.
   *
   * @param pools those that it names, none for any
   */
  boolean stops(TenantId tenant, ProjectId project, List<String> pools);

  /** For its owner. */
  String why();

  /** The windows of its pool: they stop what the pool may have admitted, and no other work. */
  record Windows(NodePool pool) implements ClosedBy {
    @Override
    public boolean stops(TenantId tenant, ProjectId project, List<String> pools) {
      return pool.serves(tenant) && (pools.isEmpty() || pools.contains(pool.name()));
    }

    @Override
    public String why() {
      return "the window of pool " + pool.name() + " has closed";
    }
  }

  /** A booking that has begun: it stops all but the jobs of its project. */
  record Begun(Booking booking) implements ClosedBy {
    @Override
    public boolean stops(TenantId tenant, ProjectId project, List<String> pools) {
      return !booking.serves(project);
    }

    /** The booking may be another tenant's: it is not named. */
    @Override
    public String why() {
      return "its node is booked from " + booking.start() + " on";
    }
  }
}
