package dev.fairlead.kernel.overload;

import java.time.Duration;
import org.hibernate.validator.constraints.Range;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Limits of concurrent requests.
 *
 * @param requestsPerMinute requests of a caller, separately for reads and changes, 0 for no limit
 * @param concurrentRequests maximum number of concurrent requests
 * @param longestWait maximum wait of a request for a place
 */
@Validated
@ConfigurationProperties("fairlead.api")
record OverloadSettings(
    @DefaultValue("30000")
        @Range(
            max = 100_000_000,
            message = "must be from 0 to 100000000, 0 for no limit (default 30000)")
        int requestsPerMinute,
    @DefaultValue("12")
        @Range(
            min = 2,
            max = 10_000,
            message = "must be from 2 to 10000, fewer than the database connections (default 12)")
        int concurrentRequests,
    @DefaultValue("2s") @DurationMin(message = WAIT) @DurationMax(minutes = 1, message = WAIT)
        Duration longestWait) {
  private static final String WAIT = "must be from 0s to 1m (default 2s)";
}
