package dev.fairlead.people.security;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.http.HttpHeaders;

/**
 * Decides whether a request can act as the local administrator. Any page in a browser on this
 * machine can send requests to this port, so the decision uses headers that only a browser sets:
 * {@code Host} names this machine, {@code Origin} is this address with its port, and a write does
 * not come from another site. Other programs send none of these.
 */
final class SameOrigin {
  private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");
  private static final Set<String> OWN_PAGES = Set.of("same-origin", "none");
  private static final String FETCH_SITE = "Sec-Fetch-Site";

  /** The product token of every browser. A page cannot remove it from a form or a beacon. */
  private static final String BROWSER = "mozilla/";

  private SameOrigin() {}

  static boolean allows(HttpServletRequest request) {
    List<String> origins = all(request, HttpHeaders.ORIGIN);
    if (!LOCAL.contains(String.valueOf(request.getServerName()))
        || origins.size() > 1
        || origins.stream().anyMatch(origin -> !own(origin, request))) {
      return false;
    }
    if (SAFE.contains(request.getMethod())) {
      return true;
    }
    List<String> sites = all(request, FETCH_SITE);
    return OWN_PAGES.containsAll(sites)
        && (!origins.isEmpty() || !sites.isEmpty() || !browser(request));
  }

  private static boolean own(String origin, HttpServletRequest request) {
    try {
      URI page = URI.create(origin);
      int standard = "https".equals(page.getScheme()) ? 443 : 80;
      int port = page.getPort() < 0 ? standard : page.getPort();
      return String.valueOf(page.getHost()).equals(request.getServerName())
          && port == request.getServerPort();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean browser(HttpServletRequest request) {
    return all(request, HttpHeaders.USER_AGENT).stream()
        .anyMatch(agent -> agent.toLowerCase(Locale.ROOT).contains(BROWSER));
  }

  private static List<String> all(HttpServletRequest request, String header) {
    return Collections.list(request.getHeaders(header));
  }
}
