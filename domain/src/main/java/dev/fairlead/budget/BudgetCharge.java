package dev.fairlead.budget;

import java.util.UUID;

/**
 * What is reserved for an attempt.
 *
 * @param milli thousandths of GPUs
 * @param weight of a millisecond in the unit of the budget: of GPU-hours the same, of money times
 *     the price
 * @param sinceMillis from when on, in milliseconds since 1970
 * @param untilMillis until when; moved on while the attempt lasts longer
 */
public record BudgetCharge(
    UUID attempt, BudgetId budget, long milli, long weight, long sinceMillis, long untilMillis) {
  BudgetCharge until(long later) {
    return new BudgetCharge(attempt, budget, milli, weight, sinceMillis, later);
  }

  BudgetCharge of(long more, long heavier) {
    return new BudgetCharge(attempt, budget, more, heavier, sinceMillis, untilMillis);
  }
}
