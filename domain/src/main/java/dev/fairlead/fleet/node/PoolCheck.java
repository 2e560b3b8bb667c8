package dev.fairlead.fleet.node;

import java.util.Optional;

/** What else has to fit a pool when it is changed. */
public interface PoolCheck {
  /** Why it cannot become that, and what to do; empty when it can. In the transaction. */
  Optional<String> refuses(Pool next);
}
