package dev.fairlead.budget;

import java.util.UUID;

/**
 * What is reserved for an attempt.
 *
 * @param milli thousandths of GPUs
 * @param sinceMillis from when on, in milliseconds since 1970
 * @param untilMillis until when; moved on while the attempt lasts longer
 */
public record BudgetCharge(
    UUID attempt, BudgetId budget, long milli, long sinceMillis, long untilMillis) {
  BudgetCharge until(long later) {
    return new BudgetCharge(attempt, budget, milli, sinceMillis, later);
  }

  BudgetCharge of(long more) {
    return new BudgetCharge(attempt, budget, more, sinceMillis, untilMillis);
  }
}
