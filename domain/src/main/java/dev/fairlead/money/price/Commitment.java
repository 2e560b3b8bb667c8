package dev.fairlead.money.price;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * What is paid for a number of GPUs over the whole time of a price, whether they are used or not.
 *
 * @param gpus whole GPUs, 1 or more
 * @param micros millionths of the price's currency, for all of them and all of the time
 */
public record Commitment(int gpus, long micros) {
  private static final BigDecimal HOUR_MICROS = BigDecimal.valueOf(3_600_000_000L);

  /**
   * What a GPU-hour carries of it, in millionths, rounded half to even.
   *
   * @param time longer than nothing
   */
  public BigDecimal perGpuHour(Duration time) {
    BigDecimal hours = BigDecimal.valueOf(time.toNanos() / 1000).multiply(BigDecimal.valueOf(gpus));
    return BigDecimal.valueOf(micros)
        .multiply(HOUR_MICROS)
        .divide(hours, 0, RoundingMode.HALF_EVEN);
  }
}
