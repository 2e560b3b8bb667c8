package dev.fairlead.kernel.loop;

import java.util.Set;

/** Leases that stay, for their terms, and need no holder now. */
@FunctionalInterface
public interface NeedlessLeases {
  /** Their names. */
  Set<String> names();
}
