package dev.fairlead.work.workload.service;

import dev.fairlead.care.health.quarantine.UnknownHolder;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Retention of the pods of ended attempts, the longest checkpoint, and the policy for a faulty GPU
 * with an unknown holder.
 *
 * @param keepFailed retention after a failure
 * @param keepSucceeded retention after success
 * @param longestCheckpoint from the request to save its work until an attempt is stopped,
 *     regardless of its job and of extensions by its program
 * @param unknownHolderAfter time that an operator must decide
 * @param unknownHolder applies after that time
 */
@Validated
@ConfigurationProperties("fairlead.workload")
record WorkloadSettings(
    @DefaultValue("10m") @DurationMin(message = FAILED) @DurationMax(days = 7, message = FAILED)
        Duration keepFailed,
    @DefaultValue("2m")
        @DurationMin(message = SUCCEEDED)
        @DurationMax(days = 7, message = SUCCEEDED)
        Duration keepSucceeded,
    @DefaultValue("1h")
        @DurationMin(seconds = 1, message = CHECKPOINT)
        @DurationMax(days = 1, message = CHECKPOINT)
        Duration longestCheckpoint,
    @DefaultValue("30m")
        @DurationMin(minutes = 1, message = HOLDER)
        @DurationMax(days = 1, message = HOLDER)
        Duration unknownHolderAfter,
    @DefaultValue("CONTINUE") UnknownHolder.Then unknownHolder) {
  private static final String FAILED = "must be from 0s to 7d (default 10m)";
  private static final String CHECKPOINT = "must be from 1s to 24h (default 1h)";
  private static final String HOLDER = "must be from 1m to 24h, 30m by default";
  private static final String SUCCEEDED = "must be from 0s to 7d (default 2m)";
}
