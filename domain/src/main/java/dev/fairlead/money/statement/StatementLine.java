package dev.fairlead.money.statement;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceSpans;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A use during which one price applied. In a correction both amounts may be negative.
 *
 * @param from start of the first hour
 * @param to end of the line, the start of the first hour after it
 * @param milliMillis thousandths of a GPU times milliseconds
 * @param charge null if no price applied
 */
public record StatementLine(
    StatementKey key,
    StatementUse.Names names,
    Instant from,
    Instant to,
    long milliMillis,
    @Nullable Charge charge) {
  private static final BigDecimal GPU_HOUR = BigDecimal.valueOf(3_600_000_000L);

  /**
   * Cost of the line.
   *
   * @param perGpuHour price of one whole GPU
   * @param micros amount in millionths of a unit of the currency, of any size
   */
  public record Charge(PriceId price, Money perGpuHour, BigInteger micros) {}

  static StatementLine of(
      StatementKey key, StatementUse.Names names, PriceSpans.Run run, long milliMillis) {
    Price price = run.price();
    return new StatementLine(
        key,
        names,
        run.from(),
        run.to(),
        milliMillis,
        price == null
            ? null
            : new Charge(price.id(), price.perUnit(), cost(price.perUnit(), milliMillis)));
  }

  static BigInteger cost(Money perGpuHour, long milliMillis) {
    return cost(perGpuHour, BigDecimal.valueOf(milliMillis), GPU_HOUR);
  }

  /**
   * The one place where money is rounded: half to even, to a millionth of a unit.
   *
   * @param amount the usage
   * @param unit as much as the price is for
   */
  static BigInteger cost(Money perUnit, BigDecimal amount, BigDecimal unit) {
    return amount
        .multiply(BigDecimal.valueOf(perUnit.micros()))
        .divide(unit, 0, RoundingMode.HALF_EVEN)
        .toBigIntegerExact();
  }
}
