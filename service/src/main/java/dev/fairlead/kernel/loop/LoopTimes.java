package dev.fairlead.kernel.loop;

import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * When a loop counts as sick.
 *
 * @param stuckAfter a turn that lasts longer does not come to its end
 * @param lateAfter a loop without a successful turn for so long is late
 */
@Validated
@ConfigurationProperties("fairlead.loop")
public record LoopTimes(
    @DefaultValue("10m")
        @DurationMin(seconds = 1, message = STUCK)
        @DurationMax(days = 1, message = STUCK)
        Duration stuckAfter,
    @DefaultValue("1m")
        @DurationMin(seconds = 1, message = LATE)
        @DurationMax(days = 1, message = LATE)
        Duration lateAfter) {
  private static final String STUCK = "must be from 1s to 1d; leave it out for 10m";
  private static final String LATE = "must be from 1s to 1d; leave it out for 1m";
}
