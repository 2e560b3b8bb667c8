package dev.fairlead.kernel.postgres;

import org.hibernate.validator.constraints.Range;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Connections to the database in addition to those of {@code spring.datasource.hikari}, which are
 * for requests.
 *
 * @param loopConnections maximum number of connections for loops
 */
@Validated
@ConfigurationProperties("fairlead.database")
record DatabaseSettings(
    @DefaultValue("10")
        @Range(min = 1, max = 1_000, message = "must be from 1 to 1000 (default 10)")
        int loopConnections) {}
