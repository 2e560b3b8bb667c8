package dev.fairlead.money.budget;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Unit of a budget. Amounts are whole numbers, so that sums do not depend on their order: of
 * GPU-hours thousandths of a GPU times milliseconds, of money these times millionths of the
 * currency an hour. Amounts are rounded once, for display: half to even, to a millionth.
 *
 * @param currency three letters of ISO 4217, null for GPU-hours
 */
public record BudgetUnit(@Nullable String currency) {
  public static final BudgetUnit GPU_HOURS = new BudgetUnit(null);

  private static final int DECIMALS = 6;
  private static final BigDecimal GPU_HOUR = BigDecimal.valueOf(Budget.GPU_HOUR);
  private static final BigDecimal MONEY = GPU_HOUR.movePointRight(DECIMALS);
  private static final BigDecimal MOST_HOURS = new BigDecimal("100000000");
  private static final BigDecimal MOST_MONEY = new BigDecimal("1000000000000");

  /** Returns whether amounts are in a currency. */
  public boolean money() {
    return currency != null;
  }

  /** For people: {@code GPU-hours}, or the currency. */
  public String name() {
    return currency == null ? "GPU-hours" : currency;
  }

  private BigDecimal one() {
    return money() ? MONEY : GPU_HOUR;
  }

  /** The largest amount of a budget, in units. */
  public BigDecimal most() {
    return money() ? MOST_MONEY : MOST_HOURS;
  }

  /** Converts to units, rounded to a millionth, without trailing zeros. */
  public BigDecimal rounded(BigInteger amount) {
    BigDecimal units =
        new BigDecimal(amount).divide(one(), DECIMALS, RoundingMode.HALF_EVEN).stripTrailingZeros();
    return units.scale() < 0 ? units.setScale(0) : units;
  }

  /** Returns the amount as text, without the name of the unit. */
  public String text(BigInteger amount) {
    return rounded(amount).toPlainString();
  }

  /** The result is empty for a number that is negative, too large or finer than a millionth. */
  public Optional<BigInteger> amount(BigDecimal units) {
    boolean good =
        units.signum() >= 0
            && units.stripTrailingZeros().scale() <= DECIMALS
            && units.compareTo(most()) <= 0;
    return good ? Optional.of(units.multiply(one()).toBigIntegerExact()) : Optional.empty();
  }
}
