package dev.fairlead.money.usage.web;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Converts thousandths of a GPU times milliseconds to GPU-hours. */
final class GpuHours {
  private static final BigDecimal MILLI_MILLIS_OF_HOUR = BigDecimal.valueOf(3_600_000_000L);
  private static final int DIGITS = 6;

  private GpuHours() {}

  /** Rounds to a millionth. */
  static BigDecimal of(long milliMillis) {
    return BigDecimal.valueOf(milliMillis)
        .divide(MILLI_MILLIS_OF_HOUR, DIGITS, RoundingMode.HALF_EVEN);
  }
}
