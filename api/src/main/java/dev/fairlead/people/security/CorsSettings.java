package dev.fairlead.people.security;

import dev.fairlead.kernel.web.ApiPaths;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsConfiguration;

/**
 * Origins whose pages may use the API in a browser ({@code fairlead.cors.*}). They send a token
 * like any program: no page is admitted as local administrator.
 *
 * @param origins origins exactly as a browser sends them in {@code Origin}: scheme, host and,
 *     unless it is the default, port. {@code https}, or {@code http} on this machine
 */
record CorsSettings(@DefaultValue List<String> origins) {
  private static final String PREFIX = "fairlead.cors";
  private static final List<String> LOCAL = List.of("localhost", "127.0.0.1", "[::1]");
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

  /**
   * Maximum age of the response to a preflight in a browser. Chromium's own maximum is the same.
   */
  private static final Duration KEPT = Duration.ofHours(2);

  /**
   * @throws UnsafeEntrance for a value that is not an origin
   */
  CorsSettings {
    origins = origins.stream().map(String::strip).filter(o -> !o.isEmpty()).toList();
    for (String origin : origins) {
      if (!origin(origin)) {
        throw new UnsafeEntrance(
            "fairlead.cors.origins has \"" + origin + "\", which is not an origin of a page",
            "Write each origin as a browser sends it, such as https://portal.example.com: https"
                + " (http on this machine only), in lower case, without a path, a trailing slash"
                + " or *");
      }
    }
  }

  static CorsSettings of(Environment environment) {
    return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(CorsSettings.class));
  }

  private static boolean origin(String text) {
    try {
      URI uri = URI.create(text);
      String host = uri.getHost();
      String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
      return host != null
          && ("https".equals(uri.getScheme())
              || "http".equals(uri.getScheme()) && LOCAL.contains(host))
          && text.equals(uri.getScheme() + "://" + host + port)
          && text.equals(text.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Permissions of a page of that origin. Null without any origin: its requests are processed like
   * those of programs, and the responses lack the headers that allow a browser to expose them.
   */
  @Nullable CorsConfiguration rules(String path, @Nullable String origin) {
    if (origin == null || !path.startsWith(ApiPaths.ROOT + "/") || !origins.contains(origin)) {
      return null;
    }
    CorsConfiguration rules = new CorsConfiguration();
    rules.addAllowedOrigin(origin);
    rules.setAllowedMethods(METHODS);
    rules.setAllowedHeaders(
        List.of(
            HttpHeaders.AUTHORIZATION,
            HttpHeaders.CONTENT_TYPE,
            HttpHeaders.IF_MATCH,
            "Idempotency-Key",
            "Fairlead-Tenant",
            "Last-Event-ID",
            "X-Request-Id",
            "traceparent"));
    rules.setExposedHeaders(
        List.of(HttpHeaders.ETAG, HttpHeaders.LOCATION, HttpHeaders.RETRY_AFTER, "X-Request-Id"));
    rules.setAllowCredentials(false);
    rules.setMaxAge(KEPT);
    return rules;
  }
}
