package dev.fairlead.money.price;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * An amount of money.
 *
 * @param micros millionths of one unit of the currency, 0 or more
 * @param currency three letters of ISO 4217, such as EUR
 */
public record Money(long micros, String currency) {
  /** Decimals of an amount in units of a currency. */
  public static final int MICRO_DIGITS = 6;

  /** Maximum price of a GPU-hour. */
  public static final long MOST_MICROS = 1_000_000_000_000L;

  private static final int FEWEST_DIGITS = 2;

  /** Returns the exact amount in units of the currency. */
  public BigDecimal amount() {
    return BigDecimal.valueOf(micros, MICRO_DIGITS).stripTrailingZeros();
  }

  /**
   * Returns whether a price is within this cap. Prices in different currencies are not compared.
   *
   * @param price null when none is known, which no cap covers
   */
  public boolean covers(@Nullable Money price) {
    return price != null && price.currency.equals(currency) && price.micros <= micros;
  }

  /** For people, such as {@code 4.10 EUR}. */
  public String text() {
    BigDecimal amount = amount();
    return amount.setScale(Math.max(FEWEST_DIGITS, amount.scale())).toPlainString()
        + " "
        + currency;
  }
}
