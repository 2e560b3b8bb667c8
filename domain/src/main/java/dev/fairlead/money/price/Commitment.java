package dev.fairlead.money.price;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;

/**
 * Total payment for a number of GPUs over the validity of a price, used or not.
 *
 * @param gpus whole GPUs, 1 or more
 * @param micros millionths of the price's currency, for all of them and all of the time
 */
public record Commitment(int gpus, long micros) {
  private static final BigDecimal HOUR_MICROS = BigDecimal.valueOf(3_600_000_000L);

  /**
   * The price of one GPU-hour of the commitment.
   *
   * @param validity validity of the price. A validity that is empty or has no end, which no price
   *     book accepts, gives 0
   */
  public Money perGpuHour(Validity validity, String currency) {
    Instant to = validity.to();
    if (to == null || validity.empty()) {
      return new Money(0, currency);
    }
    BigDecimal micros = perGpuHour(Duration.between(validity.from(), to));
    return new Money(micros.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValueExact(), currency);
  }

  /**
   * The part of one GPU-hour in millionths, rounded half to even.
   *
   * @param time time of the commitment, more than 0
   */
  public BigDecimal perGpuHour(Duration time) {
    BigDecimal hours = BigDecimal.valueOf(time.toNanos() / 1000).multiply(BigDecimal.valueOf(gpus));
    return BigDecimal.valueOf(micros)
        .multiply(HOUR_MICROS)
        .divide(hours, 0, RoundingMode.HALF_EVEN);
  }
}
