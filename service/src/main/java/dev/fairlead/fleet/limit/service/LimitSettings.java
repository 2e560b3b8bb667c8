package dev.fairlead.fleet.limit.service;

import org.hibernate.validator.constraints.Range;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Defaults of request limits.
 *
 * @param requestsPerMinute default of a project, 0 for no limit
 */
@Validated
@ConfigurationProperties("fairlead.api")
public record LimitSettings(
    @DefaultValue("30000")
        @Range(
            max = 100_000_000,
            message = "must be from 0 to 100000000, 0 for no limit (default 30000)")
        int requestsPerMinute) {}
