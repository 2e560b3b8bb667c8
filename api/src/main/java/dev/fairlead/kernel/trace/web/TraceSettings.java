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
 * Destinations of traces.
 *
 * @param endpoint address of an OTLP receiver over HTTP with protobuf, {@code
 *     http://collector:4318/v1/traces}, empty if none
 * @param zipkin address of a receiver of Zipkin spans, version 2, as JSON, {@code
 *     http://zipkin:9411/api/v2/spans}, alone or in addition to {@code endpoint}, empty if none
 * @param ratio sampled share of the traces of requests and jobs without a trace context, 0 to 1
 */
@Validated
@ConfigurationProperties("fairlead.traces")
record TraceSettings(
    @DefaultValue("")
        @Pattern(
            regexp = ADDRESS,
            message =
                "must be a URL such as http://collector:4318/v1/traces. Remove the setting to"
                    + " export no traces")
        String endpoint,
    @DefaultValue("")
        @Pattern(
            regexp = ADDRESS,
            message =
                "must be a URL such as http://zipkin:9411/api/v2/spans. Remove the setting to"
                    + " export nothing to Zipkin")
        String zipkin,
    @DefaultValue("1")
        @DecimalMin(value = "0", message = "must be from 0 to 1 (default 1)")
        @DecimalMax(value = "1", message = "must be from 0 to 1 (default 1)")
        double ratio) {
  private static final String ADDRESS = "(https?://[^\\s/]+(/\\S*)?)?";
  private static final int HIGHEST_PORT = 65_535;

  /**
   * @throws IllegalArgumentException with the name of the setting, for an address that is not a
   *     valid HTTP URL
   */
  TraceSettings {
    sendable("fairlead.traces.endpoint", endpoint);
    sendable("fairlead.traces.zipkin", zipkin);
  }

  /** Text that is not an address is left to the pattern, because its message shows an example. */
  private static void sendable(String setting, String address) {
    String wrong = address.isEmpty() || !address.matches(ADDRESS) ? "" : wrong(address);
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException("%s: %s".formatted(setting, wrong));
    }
  }

  /** Does not contain user and password. */
  private static String wrong(String address) {
    URI uri;
    try {
      uri = new URI(address);
    } catch (URISyntaxException bad) {
      return "%s at character %d of the address".formatted(bad.getReason(), bad.getIndex() + 1);
    }
    if (uri.getRawAuthority().contains("@")) {
      return "a user and a password would not be sent: remove them from the URL";
    }
    if (uri.getHost() == null || uri.getPort() > HIGHEST_PORT) {
      return "\"%s\" must be a host and a port, such as collector:4318. A host name has letters, digits, - and ."
          .formatted(uri.getRawAuthority());
    }
    return "";
  }

  boolean wanted() {
    return !endpoint.isEmpty() || !zipkin.isEmpty();
  }
}
