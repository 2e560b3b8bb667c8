package dev.fairlead.kernel.loop;

import java.util.Set;

/** Leases that are retained for their epochs and need no holder now. */
@FunctionalInterface
public interface NeedlessLeases {
  /** Their names. */
  Set<String> names();
}
