package dev.fairlead.verify.engine.timelapse.trace;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Parses fields. An invalid field is an IllegalArgumentException. */
public final class Fields {
  private Fields() {}

  public static String text(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException(text);
    }
    return text.strip();
  }

  static long amount(String text) {
    long amount = Long.parseLong(text);
    if (amount < 0 || amount > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(text);
    }
    return amount;
  }

  static String amountOrNothing(String text) {
    return text.isBlank() ? "" : Long.toString(amount(text));
  }

  public static int within(String text, int least, int most) {
    int number = Integer.parseInt(text);
    if (number < least || number > most) {
      throw new IllegalArgumentException(text);
    }
    return number;
  }

  /** A decimal number in parts, rounded up: {@code 1.5} GiB in 1024 parts is 1536. */
  public static long parts(String text, int each) {
    BigDecimal number = new BigDecimal(text);
    if (number.signum() < 0 || number.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException(text);
    }
    return number
        .multiply(BigDecimal.valueOf(each))
        .setScale(0, RoundingMode.CEILING)
        .longValueExact();
  }
}
