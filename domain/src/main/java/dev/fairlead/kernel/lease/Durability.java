package dev.fairlead.kernel.lease;

import org.jspecify.annotations.Nullable;

/** Checks whether the database answers, and the durability of an acknowledged commit. */
@FunctionalInterface
public interface Durability {
  /**
   * Durability problem of acknowledged work, human-readable, or null if it survives the loss of the
   * database's machine.
   *
   * @throws RuntimeException when the database does not answer
   */
  @Nullable String warning();
}
