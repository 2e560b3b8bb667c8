package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.resources.DurationText;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Durations of leases.
 *
 * @param duration time of an unchanged renewal counter after which a challenger takes over
 * @param renew interval of renewals by the holder
 * @param selfStop time after the last successful renewal was sent at which the holder stops acting,
 *     less than {@code duration}
 */
@Validated
@ConfigurationProperties("fairlead.lease")
public record LeaseTimes(
    @DefaultValue("30s")
        @DurationMin(seconds = 1, message = DURATION)
        @DurationMax(hours = 1, message = DURATION)
        Duration duration,
    @DefaultValue("10s")
        @DurationMin(millis = 100, message = RENEW)
        @DurationMax(hours = 1, message = RENEW)
        Duration renew,
    @DefaultValue("20s")
        @DurationMin(millis = 100, message = SELF_STOP)
        @DurationMax(hours = 1, message = SELF_STOP)
        Duration selfStop) {
  private static final String DURATION = "must be from 1s to 1h (default 30s)";
  private static final String RENEW = "must be from 100ms to 1h (default 10s)";
  private static final String SELF_STOP = "must be from 100ms to 1h (default 20s)";

  public LeaseTimes {
    if (selfStop.compareTo(duration) >= 0 || renew.compareTo(selfStop) >= 0) {
      throw new IllegalArgumentException(
          "fairlead.lease.renew %s, fairlead.lease.self-stop %s and fairlead.lease.duration %s must rise in this order (defaults 10s, 20s and 30s)"
              .formatted(
                  DurationText.of(renew), DurationText.of(selfStop), DurationText.of(duration)));
    }
  }
}
