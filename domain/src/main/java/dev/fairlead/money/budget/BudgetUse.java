package dev.fairlead.money.budget;

import java.math.BigInteger;

/**
 * Charges of a budget in one period, in its unit.
 *
 * @param used use by attempts that have ended
 * @param reserved for attempts that hold GPUs, including their usage so far
 * @param alerted the highest threshold that was announced, in percent, 0 for none
 */
public record BudgetUse(BudgetSpent used, BigInteger reserved, int alerted) {
  public static final BudgetUse NOTHING = new BudgetUse(BudgetSpent.NOTHING, BigInteger.ZERO, 0);

  /** The amount of {@link #used}, without unpriced usage. */
  public BigInteger spent() {
    return used.amount();
  }

  /** Amount that no other reservation may use. */
  public BigInteger charged() {
    return spent().add(reserved);
  }

  BudgetUse reserving(BigInteger more) {
    return new BudgetUse(used, reserved.add(more), alerted);
  }

  BudgetUse spending(BudgetSpent more) {
    return new BudgetUse(used.plus(more), reserved, alerted);
  }

  BudgetUse beyond(BudgetUse other) {
    return new BudgetUse(used.minus(other.used), reserved.subtract(other.reserved), alerted);
  }

  BudgetUse alerted(int percent) {
    return new BudgetUse(used, reserved, percent);
  }
}
