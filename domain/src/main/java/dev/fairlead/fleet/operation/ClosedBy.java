package dev.fairlead.fleet.operation;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/** The reason, other than an order, why a node is closed and its work must leave. */
public sealed interface ClosedBy {
  /**
   * Returns whether a job must leave.
   *
   * @param pools pools that the job names, none for any
   */
  boolean stops(TenantId tenant, ProjectId project, List<String> pools);

  /** Returns the reason, as text for the job's owner. */
  String why();

  /** The windows of its pool. They stop work that the pool may have admitted, and no other work. */
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

  /** An advance reservation that has begun. It stops all jobs except those of its project. */
  record Begun(AdvanceReservation advanceReservation) implements ClosedBy {
    @Override
    public boolean stops(TenantId tenant, ProjectId project, List<String> pools) {
      return !advanceReservation.serves(project);
    }

    /** Does not name the advance reservation, because it may belong to another tenant. */
    @Override
    public String why() {
      return "its node is reserved from " + advanceReservation.start() + " on";
    }
  }
}
