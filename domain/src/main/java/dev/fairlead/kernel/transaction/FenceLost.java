package dev.fairlead.kernel.transaction;

import dev.fairlead.kernel.lease.HeldLease;

/** The lease's fence carries another epoch: the previous holder must stop immediately. */
public final class FenceLost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FenceLost(HeldLease lease) {
    super("lease " + lease.name() + " is no longer held under epoch " + lease.epoch());
  }
}
