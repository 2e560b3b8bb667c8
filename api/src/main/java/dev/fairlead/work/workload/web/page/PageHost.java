package dev.fairlead.work.workload.web.page;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.workload.session.BrowserSessions;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The host of a session.
 *
 * @param origin as a browser sends it
 * @param secure whether it is served by TLS
 */
public record PageHost(JobId job, String origin, boolean secure) {
  private static final Set<String> OWN_PAGES = Set.of("same-origin", "none");

  /** The address of a link. */
  public String link(String token) {
    return origin + BrowserSessions.ENTER + "?pass=" + token;
  }

  /** The host of a job below the configured address. Host names have no {@code _}. */
  public static PageHost of(JobId job, URI address) {
    String host = job.text().replace('_', '-') + "." + address.getRawAuthority();
    return new PageHost(
        job, address.getScheme() + "://" + host, address.getScheme().equals("https"));
  }

  /** Returns whether the request is for the configured host or one below it. */
  static boolean covers(URI address, HttpServletRequest request) {
    String host = host(request);
    return host.equals(address.getHost()) || host.endsWith("." + address.getHost());
  }

  /** The session of a request, empty for a host that is not of a session. */
  static Optional<PageHost> of(URI address, HttpServletRequest request) {
    String host = host(request);
    int label = host.length() - address.getHost().length() - 1;
    return label < 1
        ? Optional.empty()
        : IdText.decode(IdKind.JOB, host.substring(0, label).replace('-', '_'))
            .map(id -> of(new JobId(id), address));
  }

  private static String host(HttpServletRequest request) {
    String host = String.valueOf(request.getServerName()).toLowerCase(Locale.ROOT);
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host; // the same name in DNS
  }

  /**
   * Returns whether a page of the same session, or the user, has caused the request. Pages of other
   * sessions are on the same site, so their requests carry its cookie too.
   */
  boolean own(HttpServletRequest request) {
    List<String> origins = Collections.list(request.getHeaders(HttpHeaders.ORIGIN));
    if (!origins.stream().allMatch(origin::equals)) {
      return false;
    }
    String site = request.getHeader("Sec-Fetch-Site");
    return site == null || OWN_PAGES.contains(site) || navigates(request);
  }

  private static boolean navigates(HttpServletRequest request) {
    return request.getMethod().equals("GET")
        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
  }

  /** Name of the cookie. The prefix makes browsers accept it only from this host. */
  String cookie() {
    return secure ? "__Host-fairlead-session" : "fairlead-session";
  }

  /** The header that sets the cookie, which ends with the browser. */
  String setCookie(String value) {
    List<String> parts = List.of(cookie() + "=" + value, "Path=/", "HttpOnly", "SameSite=Lax");
    return String.join("; ", parts) + (secure ? "; Secure" : "");
  }

  /** The value of the cookie, null if none. */
  @Nullable String sent(HttpServletRequest request) {
    return PageHeaders.cookies(request).stream()
        .filter(pair -> pair.startsWith(cookie() + "="))
        .map(pair -> pair.substring(cookie().length() + 1))
        .findFirst()
        .orElse(null);
  }
}
