package dev.fairlead.budget;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/** Amounts of GPU time as people write them: GPU-hours with at most six decimals. */
public final class GpuHours {
  private static final int DECIMALS = 6;
  private static final BigDecimal HOUR = BigDecimal.valueOf(Budget.GPU_HOUR);

  private GpuHours() {}

  /** Rounded to a millionth of an hour, without trailing zeros. */
  public static String text(long amount) {
    return rounded(amount).toPlainString();
  }

  /** The same as a number. */
  public static BigDecimal rounded(long amount) {
    BigDecimal hours =
        BigDecimal.valueOf(amount)
            .divide(HOUR, DECIMALS, RoundingMode.HALF_UP)
            .stripTrailingZeros();
    return hours.scale() < 0 ? hours.setScale(0) : hours;
  }

  /** Empty for a number that is negative, too large or finer than a millionth. */
  public static Optional<Long> amount(BigDecimal hours) {
    boolean good =
        hours.signum() >= 0
            && hours.stripTrailingZeros().scale() <= DECIMALS
            && hours.compareTo(BigDecimal.valueOf(Budget.MOST / Budget.GPU_HOUR)) <= 0;
    return good ? Optional.of(hours.multiply(HOUR).longValueExact()) : Optional.empty();
  }
}
