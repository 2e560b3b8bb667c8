package dev.fairlead.loop;

import java.time.Duration;

/**
 * How leases are timed.
 *
 * @param duration how long a challenger must see an unchanged renewal counter
 * @param renew how often the holder renews
 * @param selfStop how long after the last successful renewal was sent the holder stops by itself;
 *     below {@code duration}
 */
public record LeaseTimes(Duration duration, Duration renew, Duration selfStop) {
  public LeaseTimes {
    if (selfStop.compareTo(duration) >= 0 || renew.compareTo(selfStop) >= 0) {
      throw new IllegalArgumentException(
          "lease times must rise: renew "
              + renew
              + " < self-stop "
              + selfStop
              + " < duration "
              + duration);
    }
  }
}
