package dev.fairlead.transaction;

import dev.fairlead.lease.HeldLease;

/** The lease's fence carries another term: whoever held it must stop at once. */
public final class FenceLost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FenceLost(HeldLease lease) {
    super("lease " + lease.name() + " is no longer held under term " + lease.term());
  }
}
