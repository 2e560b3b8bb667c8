package dev.fairlead.fleet.node.pool;

import java.util.Optional;

/** Checks the compatibility of other settings with a changed pool. */
public interface PoolCheck {
  /**
   * Returns why the pool cannot change in this way and what to do, empty if it can. Called inside
   * the transaction.
   */
  Optional<String> refuses(Pool next);
}
