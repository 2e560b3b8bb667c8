package dev.fairlead.work.workload.service;

import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How long the pods of ended attempts stay on their cluster, and how long one may take to save its
 * work.
 *
 * @param keepFailed of those that failed
 * @param keepSucceeded of those that succeeded
 * @param longestCheckpoint from the request to save its work until an attempt is stopped, whatever
 *     its job says and its program asks for
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
        Duration longestCheckpoint) {
  private static final String FAILED = "must be from 0s to 7d; leave it out for 10m";
  private static final String CHECKPOINT = "must be from 1s to 24h; leave it out for 1h";
  private static final String SUCCEEDED = "must be from 0s to 7d; leave it out for 2m";
}
