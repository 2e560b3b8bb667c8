package dev.fairlead.kernel.lease;

import org.jspecify.annotations.Nullable;

/** Asks the database whether it answers, and what becomes of a commit that it has acknowledged. */
@FunctionalInterface
public interface Durability {
  /**
   * How safe acknowledged work is, for people; null when it survives the loss of the database's
   * machine.
   *
   * @throws RuntimeException when the database does not answer
   */
  @Nullable String warning();
}
