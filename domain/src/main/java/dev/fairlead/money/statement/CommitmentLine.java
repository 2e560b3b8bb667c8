package dev.fairlead.money.statement;

import dev.fairlead.money.price.Price;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * What a commitment cost in a span, and how much of it was used. Amounts of capacity are
 * thousandths of a GPU times milliseconds; of money, millionths of the price's currency.
 *
 * @param price with a commitment
 * @param committed capacity that was paid for
 * @param used of it, hour by hour
 * @param beyond use at this price above what was paid for in the same hour
 * @param cost its part of what the commitment costs in all, by time
 */
public record CommitmentLine(
    Price price, BigInteger committed, BigInteger used, BigInteger beyond, BigInteger cost) {
  /** Paid for and not used. */
  public BigInteger unused() {
    return committed.subtract(used);
  }

  /** What the used part cost; with {@link #unusedCost} it is the cost. */
  public BigInteger usedCost() {
    return committed.signum() == 0
        ? BigInteger.ZERO
        : new BigDecimal(cost.multiply(used))
            .divide(new BigDecimal(committed), 0, RoundingMode.HALF_EVEN)
            .toBigInteger();
  }

  public BigInteger unusedCost() {
    return cost.subtract(usedCost());
  }
}
