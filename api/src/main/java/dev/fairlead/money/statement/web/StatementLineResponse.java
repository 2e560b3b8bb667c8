package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.budget.BudgetUnit;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Usage during the time in which one price applied. Amounts of corrections may be negative.
 *
 * @param from start of the first hour, in UTC
 * @param to end of the last hour, exclusive
 * @param cluster cluster on which the usage occurred
 * @param cost cost of the usage, null if there is no price
 * @param costCentre cost centre of the project when the statement was created, null if none
 */
@RecordBuilder
record StatementLineResponse(
    Instant from,
    Instant to,
    StatementThing project,
    StatementThing queue,
    StatementThing cluster,
    StatementGpus gpus,
    StatementUsed used,
    @Nullable StatementCost cost,
    @Nullable String costCentre) {
  /** An object with its name when the statement was created. */
  record StatementThing(String id, String name) {}

  /**
   * The used capacity.
   *
   * @param pool name of the pool, empty for nodes without a pool
   */
  record StatementGpus(String pool, String model, CapacityType capacity) {}

  /**
   * The amount of usage.
   *
   * @param gpuHours GPU-hours, rounded to a millionth
   * @param milliGpuMillis exact usage in thousandths of a GPU times milliseconds
   */
  record StatementUsed(BigDecimal gpuHours, long milliGpuMillis) {
    static StatementUsed of(long milliMillis) {
      return new StatementUsed(
          BudgetUnit.GPU_HOURS.rounded(BigInteger.valueOf(milliMillis)), milliMillis);
    }
  }

  /**
   * Cost of the usage.
   *
   * @param price id in the price book
   * @param pricePerGpuHour price of one whole GPU for one hour
   * @param amount exact usage times price, rounded half to even to a millionth of a unit
   * @param currency currency (ISO 4217)
   */
  record StatementCost(
      String price, BigDecimal pricePerGpuHour, BigDecimal amount, String currency) {}
}
