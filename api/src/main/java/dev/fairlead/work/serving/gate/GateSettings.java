package dev.fairlead.work.serving.gate;

import java.time.Duration;
import org.hibernate.validator.constraints.Range;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Bounds of the gate. The bodies of waiting requests are not read.
 *
 * @param port TCP port of its requests, 0 for any free port
 * @param requests waiting and forwarded requests of all services together
 * @param requestsOfService waiting and forwarded requests of one service
 * @param longestWait maximum wait of a request for a replica
 * @param longestAnswer maximum time from the first byte of a forwarded request to the first of its
 *     response. It includes the upload of the body
 * @param body maximum body of a request
 * @param silence maximum time without a byte from or to a client, while one is expected
 * @param streamIdle maximum time between two bytes of a response, as the replica sends them
 * @param keysWithoutDatabase maximum time for which keys are accepted without reading them again
 */
@Validated
@ConfigurationProperties("fairlead.gate")
record GateSettings(
    @DefaultValue("8090")
        @Range(min = 0, max = 65_535, message = "must be from 0 to 65535 (default 8090)")
        int port,
    @DefaultValue("1000")
        @Range(min = 1, max = 100_000, message = "must be from 1 to 100000 (default 1000)")
        int requests,
    @DefaultValue("200")
        @Range(min = 1, max = 100_000, message = "must be from 1 to 100000 (default 200)")
        int requestsOfService,
    @DefaultValue("10m")
        @DurationMin(seconds = 1, message = "must be from 1s to 1h (default 10m)")
        @DurationMax(hours = 1, message = "must be from 1s to 1h (default 10m)")
        Duration longestWait,
    @DefaultValue("10m")
        @DurationMin(seconds = 1, message = "must be from 1s to 1h (default 10m)")
        @DurationMax(hours = 1, message = "must be from 1s to 1h (default 10m)")
        Duration longestAnswer,
    @DefaultValue("64MB")
        @SizeRange(min = "1KB", max = "1GB", message = "must be from 1KB to 1GB (default 64MB)")
        DataSize body,
    @DefaultValue("20s")
        @DurationMin(millis = 100, message = "must be from 100ms to 10m (default 20s)")
        @DurationMax(minutes = 10, message = "must be from 100ms to 10m (default 20s)")
        Duration silence,
    @DefaultValue("5m")
        @DurationMin(seconds = 1, message = "must be from 1s to 1h (default 5m)")
        @DurationMax(hours = 1, message = "must be from 1s to 1h (default 5m)")
        Duration streamIdle,
    @DefaultValue("15m")
        @DurationMin(seconds = 5, message = "must be from 5s to 24h (default 15m)")
        @DurationMax(hours = 24, message = "must be from 5s to 24h (default 15m)")
        Duration keysWithoutDatabase) {}
