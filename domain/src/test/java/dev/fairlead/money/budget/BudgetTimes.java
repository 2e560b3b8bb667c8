package dev.fairlead.money.budget;

import java.math.BigInteger;

/** Amounts of GPU-hours in the notation of tests. */
public final class BudgetTimes {
  private BudgetTimes() {}

  /** Thousandths of a GPU times milliseconds. */
  public static BigInteger hours(double hours) {
    return BigInteger.valueOf((long) (hours * Budget.GPU_HOUR));
  }

  /** A spent time, without use that has no price. */
  public static BudgetSpent spent(double hours) {
    return new BudgetSpent(hours(hours), BigInteger.ZERO);
  }

  public static BudgetUse use(double spent, double reserved) {
    return new BudgetUse(spent(spent), hours(reserved), 0);
  }
}
