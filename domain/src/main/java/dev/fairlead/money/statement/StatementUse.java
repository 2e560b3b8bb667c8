package dev.fairlead.money.statement;

import org.jspecify.annotations.Nullable;

/**
 * Usage in one span of a month.
 *
 * @param span index among the begins that were asked for
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record StatementUse(StatementKey key, Names names, int span, long milliMillis) {
  /**
   * What things are called when the use is read.
   *
   * @param project its id when it is gone
   * @param queue its id when it is gone
   * @param cluster null without a cluster
   * @param costCentre of the project, null for none
   */
  public record Names(
      String project, String queue, @Nullable String cluster, @Nullable String costCentre) {}
}
