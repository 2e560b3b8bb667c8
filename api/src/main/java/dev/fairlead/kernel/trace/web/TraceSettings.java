package dev.fairlead.kernel.trace.web;

import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Pattern;
import java.net.URI;
import java.net.URISyntaxException;
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
  private static final int HIGHEST_PORT = 65_535;

  /**
   * @throws IllegalArgumentException naming the setting, for an address that no request can be sent
   *     to as it stands
   */
  TraceSettings {
    sendable("fairlead.traces.endpoint", endpoint);
    sendable("fairlead.traces.zipkin", zipkin);
  }

  /** What does not look like an address is left to the pattern, which shows one. */
  private static void sendable(String setting, String address) {
    String wrong = address.isEmpty() || !address.matches(ADDRESS) ? "" : wrong(address);
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException("%s: %s".formatted(setting, wrong));
    }
  }

  /** Says nothing of the user and the password. */
  private static String wrong(String address) {
    URI uri;
    try {
      uri = new URI(address);
    } catch (URISyntaxException bad) {
      return "%s at character %d of the address".formatted(bad.getReason(), bad.getIndex() + 1);
    }
    if (uri.getRawAuthority().contains("@")) {
      return "a user and a password would not be sent, take them out of the address";
    }
    if (uri.getHost() == null || uri.getPort() > HIGHEST_PORT) {
      return "\"%s\" must be a host and a port, such as collector:4318; names of hosts have letters, digits, - and ."
          .formatted(uri.getRawAuthority());
    }
    return "";
  }

  boolean wanted() {
    return !endpoint.isEmpty() || !zipkin.isEmpty();
  }
}
