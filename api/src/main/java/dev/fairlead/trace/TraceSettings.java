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
 *     http://collector:4318/v1/traces}; empty for none
 * @param zipkin address that takes spans of Zipkin, version 2, as JSON, {@code
 *     http://zipkin:9411/api/v2/spans}, beside the other or alone; empty for none
 * @param ratio part of the traces that is kept of requests and jobs that bring no context, 0 to 1
 */
@Validated
@ConfigurationProperties("fairlead.traces")
record TraceSettings(
    @DefaultValue("")
        @Pattern(
            regexp = ADDRESS,
            message =
                "must be an address such as http://collector:4318/v1/traces; leave it out for no"
                    + " traces")
        String endpoint,
    @DefaultValue("")
        @Pattern(
            regexp = ADDRESS,
            message =
                "must be an address such as http://zipkin:9411/api/v2/spans; leave it out for no"
                    + " Zipkin")
        String zipkin,
    @DefaultValue("1")
        @DecimalMin(value = "0", message = "must be from 0 to 1; leave it out for 1")
        @DecimalMax(value = "1", message = "must be from 0 to 1; leave it out for 1")
        double ratio) {
  private static final String ADDRESS = "(https?://[^\\s/]+(/\\S*)?)?";

  boolean wanted() {
    return !endpoint.isEmpty() || !zipkin.isEmpty();
  }
}
