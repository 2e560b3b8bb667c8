package dev.fairlead.money.statement;

import org.jspecify.annotations.Nullable;

/**
 * Usage in one span of a month.
 *
 * @param span index among the requested begins
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record StatementUse(StatementKey key, Names names, int span, long milliMillis) {
  /**
   * Names of the objects when the use is read.
   *
   * @param project its id if it no longer exists
   * @param queue its id if it no longer exists
   * @param cluster its id if it no longer exists
   * @param costCentre of the project, null if none
   */
  public record Names(String project, String queue, String cluster, @Nullable String costCentre) {}
}
