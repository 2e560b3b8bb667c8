package dev.fairlead.kernel.loop;

import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Limits after which a loop counts as unhealthy.
 *
 * @param stuckAfter limit of a pass: a longer pass is stuck
 * @param lateAfter limit of the time without a successful pass
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
  private static final String STUCK = "must be from 1s to 1d (default 10m)";
  private static final String LATE = "must be from 1s to 1d (default 1m)";
}
