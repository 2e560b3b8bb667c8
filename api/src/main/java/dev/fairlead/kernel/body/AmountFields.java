package dev.fairlead.kernel.body;

import dev.fairlead.kernel.resources.Quantity;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Quantities of a body, in base units. */
public final class AmountFields {
  private static final long MOST_CPU_MILLI = 10_000_000;
  private static final long LEAST_BYTES = 4L << 20;
  private static final long MOST_BYTES = 1L << 50;

  /** Rejects an amount finer than a thousandth, or below one: rounding up would hide it. */
  private static final Pattern BELOW_MILLI =
      Pattern.compile(
          ".*\\..*m|0*\\.000[0-9]*|.*[nu]|.*\\..*[eE]-.*|.*[eE]-(?:0?[4-9]|[1-9][0-9])");

  private static final Pattern WITHOUT_BINARY_UNIT =
      Pattern.compile("([1-9][0-9]{0,5}) ?(|[gmtGMT])(?:i?[bB])?");

  private static final BigDecimal MOST_MONEY = new BigDecimal(1_000_000);
  private static final int MICRO_DIGITS = 6;

  private AmountFields() {}

  /** Money as millionths of its unit, 0 to 1,000,000 units. */
  public static Optional<Long> micros(Value value) {
    return micros(value, MOST_MONEY);
  }

  /** Money as millionths of its unit, 0 to {@code most} units. */
  static Optional<Long> micros(Value value, BigDecimal most) {
    return amount(value)
        .filter(amount -> amount.compareTo(most) <= 0)
        .map(AmountFields::micros)
        .or(() ->
            value.bad(
                "must be an amount of money from 0 to %s with at most 6 decimals, not %s"
                    .formatted(most.toPlainString(), value.shown()),
                null));
  }

  /** Reads an amount of money, 0 or more with at most 6 decimals. Empty for any other value. */
  static Optional<BigDecimal> amount(Value value) {
    return value
        .quantityText()
        .filter(text -> text.matches("[0-9]{1,10}(\\.[0-9]{1,6})?"))
        .map(BigDecimal::new);
  }

  /** An amount with at most 6 decimals in millionths. */
  public static long micros(BigDecimal amount) {
    return amount.movePointRight(MICRO_DIGITS).longValueExact();
  }

  /** CPU cores in thousandths, 1 to 10,000,000. */
  public static Optional<Long> cpuMilli(Value value) {
    return value
        .quantityText()
        .flatMap(text ->
            Quantity.milli(text)
                .filter(milli ->
                    milli >= 1 && milli <= MOST_CPU_MILLI && !BELOW_MILLI.matcher(text).matches())
                .or(() ->
                    value.bad(
                        "must be a number of cores from 1m to 10000, such as 4 or 500m, not "
                            + value.shown(),
                        null)));
  }

  /** Host or device memory in MiB, 4 MiB to 1 PiB. */
  public static Optional<Long> memoryMiB(Value value) {
    return value
        .quantityText()
        .flatMap(text ->
            Quantity.units(text)
                .filter(bytes ->
                    bytes >= LEAST_BYTES
                        && bytes <= MOST_BYTES
                        && !BELOW_MILLI.matcher(text).matches())
                .flatMap(bytes -> Quantity.mebibytes(text))
                .or(() ->
                    value.bad(
                        "must be a size from 4Mi to 1Pi, such as 16Gi, not " + value.shown(),
                        withUnit(text))));
  }

  /** 16 and 16GB probably mean 16Gi. */
  private static @org.jspecify.annotations.Nullable String withUnit(String text) {
    Matcher given = WITHOUT_BINARY_UNIT.matcher(text);
    if (!given.matches()) {
      return null;
    }
    String unit = given.group(2).isEmpty() ? "G" : given.group(2).toUpperCase(Locale.ROOT);
    return given.group(1) + unit + "i";
  }
}
