package dev.fairlead.money.budget;

import java.math.BigInteger;

/**
 * Usage in the unit of a budget.
 *
 * @param amount exact
 * @param unpriced thousandths of a GPU times milliseconds that have no price in the currency of the
 *     budget, and are in no amount
 */
public record BudgetSpent(BigInteger amount, BigInteger unpriced) {
  public static final BudgetSpent NOTHING = new BudgetSpent(BigInteger.ZERO, BigInteger.ZERO);

  public BudgetSpent plus(BudgetSpent more) {
    return new BudgetSpent(amount.add(more.amount), unpriced.add(more.unpriced));
  }

  BudgetSpent minus(BudgetSpent less) {
    return new BudgetSpent(amount.subtract(less.amount), unpriced.subtract(less.unpriced));
  }
}
