package dev.fairlead.money.price.web.spi;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.money.price.Money;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A price cap in a request record: amounts in one currency. */
public final class PriceCap {
  /** Largest amount in units of the currency. */
  public static final long MOST = 1_000_000;

  public static final String CURRENCY = "^[A-Z]{3}$";
  public static final String CURRENCY_RULE = "must be three letters of ISO 4217 such as EUR";
  private static final String FIELD = "currency";

  private PriceCap() {}

  /** Reports amounts without a currency, or a currency without an amount. */
  public static void check(Fields fields, List<String> amounts) {
    List<String> given = amounts.stream().filter(fields::has).toList();
    if (given.isEmpty() == fields.has(FIELD)) {
      fields.refuse(
          given.isEmpty() ? FIELD : given.getFirst(),
          ProblemCode.CONFLICTING_FIELDS,
          String.join(" or ", given.isEmpty() ? amounts : given)
              + " and currency go together. Set both, for example 3.20 and USD.",
          null);
    }
  }

  /** The cap of a request without problems. Null for none. */
  public static @Nullable Money of(@Nullable BigDecimal amount, @Nullable String currency) {
    return amount == null || currency == null
        ? null
        : new Money(AmountFields.micros(amount), currency);
  }
}
