package dev.fairlead.trace;

import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Where traces go.
 *
 * @param endpoint address that takes OTLP over HTTP with protobuf, {@code
 *     http://collector:4318/v1/traces}; empty for no traces
 * @param ratio part of the traces that is kept of requests and jobs that bring no context, 0 to 1
 */
@Validated
@ConfigurationProperties("fairlead.traces")
record TraceSettings(
    @DefaultValue("")
        @Pattern(
            regexp = "(https?://[^\\s/]+(/\\S*)?)?",
            message =
                "must be an address such as http://collector:4318/v1/traces; leave it out for no"
                    + " traces")
        String endpoint,
    @DefaultValue("1")
        @DecimalMin(value = "0", message = "must be from 0 to 1; leave it out for 1")
        @DecimalMax(value = "1", message = "must be from 0 to 1; leave it out for 1")
        double ratio) {}
