package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.budget.BudgetUnit;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A use for as long as one price counted for it. Amounts of corrections may be below zero.
 *
 * @param from begin of the first hour, in UTC
 * @param to begin of the first hour that is not in it
 * @param cluster null where the hours of the use do not say it
 * @param cost null where no price applied, or the cluster is not known
 * @param costCentre of the project when the statement was made; null for none
 */
record StatementLineResponse(
    Instant from,
    Instant to,
    StatementThing project,
    StatementThing queue,
    @Nullable StatementThing cluster,
    StatementGpus gpus,
    StatementUsed used,
    @Nullable StatementCost cost,
    @Nullable String costCentre) {
  /** Something as it was called when the statement was made. */
  record StatementThing(String id, String name) {}

  /**
   * What was used.
   *
   * @param pool empty for nodes of none
   */
  record StatementGpus(String pool, String model, CapacityType capacity) {}

  /**
   * How much was used.
   *
   * @param gpuHours rounded to a millionth
   * @param milliGpuMillis exact: thousandths of a GPU times milliseconds
   */
  record StatementUsed(BigDecimal gpuHours, long milliGpuMillis) {
    static StatementUsed of(long milliMillis) {
      return new StatementUsed(
          BudgetUnit.GPU_HOURS.rounded(BigInteger.valueOf(milliMillis)), milliMillis);
    }
  }

  /**
   * What it costs.
   *
   * @param price id in the price book
   * @param pricePerGpuHour of one whole GPU
   * @param amount exact use times price, rounded half to even to a millionth of a unit
   * @param currency ISO 4217
   */
  record StatementCost(
      String price, BigDecimal pricePerGpuHour, BigDecimal amount, String currency) {}
}
