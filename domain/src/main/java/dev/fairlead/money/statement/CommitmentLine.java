package dev.fairlead.money.statement;

import dev.fairlead.money.price.Price;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Cost of a commitment in a span, and its used part. Amounts of capacity are thousandths of a GPU
 * times milliseconds. For money, millionths of the price's currency.
 *
 * @param price with a commitment
 * @param committed capacity that was paid for
 * @param used used part, summed by hour
 * @param beyond usage at this price above the committed amount of the same hour
 * @param cost its part of the total cost of the commitment, by time
 */
public record CommitmentLine(
    Price price, BigInteger committed, BigInteger used, BigInteger beyond, BigInteger cost) {
  /** Paid for and not used. */
  public BigInteger unused() {
    return committed.subtract(used);
  }

  /** Cost of the used part. The rest of the cost is {@link #unusedCost}. */
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
