package dev.fairlead.work.workload.web.page;

import dev.fairlead.people.token.TokenText;
import dev.fairlead.work.attempt.AttemptCredential;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;

/** Headers that pass between a browser and the server of a session. */
final class PageHeaders {
  /** Copied from one connection, or written again. */
  private static final Set<String> HOP =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "forwarded",
          "host",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** Would change the state of a browser beyond the host of the session. */
  private static final Set<String> SITE =
      Set.of("clear-site-data", "public-key-pins", "strict-transport-security");

  private static final String BEARER = "bearer ";

  private PageHeaders() {}

  /** The name-value pairs of all cookies. */
  static List<String> cookies(HttpServletRequest request) {
    return Collections.list(request.getHeaders(HttpHeaders.COOKIE)).stream()
        .flatMap(line -> Arrays.stream(line.split(";", -1)))
        .map(String::strip)
        .filter(pair -> !pair.isEmpty())
        .toList();
  }

  /**
   * The head of a request as the server of the member gets it: as if the browser were in the
   * member, because servers refuse unknown hosts and origins.
   *
   * @param port port of the server
   * @param upgrade whether it becomes a WebSocket
   */
  static String head(HttpServletRequest request, PageHost host, int port, boolean upgrade) {
    String local = "127.0.0.1:" + port;
    StringBuilder head = new StringBuilder(request.getMethod()).append(' ');
    head.append(request.getRequestURI());
    if (request.getQueryString() != null) {
      head.append('?').append(request.getQueryString());
    }
    head.append(" HTTP/1.1\r\nHost: ").append(local).append("\r\n");
    for (String name : Collections.list(request.getHeaderNames())) {
      String key = name.toLowerCase(Locale.ROOT);
      if (passes(key)) {
        for (String value : Collections.list(request.getHeaders(name))) {
          if (!key.equals("authorization") || !credential(value)) {
            line(head, name, value.replace(host.origin(), "http://" + local), value, key);
          }
        }
      }
    }
    String cookies =
        cookies(request).stream()
            .filter(pair -> !pair.startsWith(host.cookie() + "="))
            .collect(Collectors.joining("; "));
    if (!cookies.isEmpty()) {
      head.append("Cookie: ").append(cookies).append("\r\n");
    }
    if (upgrade) {
      return head.append("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n").toString();
    }
    long length = request.getContentLengthLong();
    if (length >= 0) {
      head.append("Content-Length: ").append(length).append("\r\n");
    } else if (request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null) {
      head.append("Transfer-Encoding: chunked\r\n");
    }
    return head.append("Connection: keep-alive\r\n\r\n").toString();
  }

  private static void line(
      StringBuilder head, String name, String local, String value, String key) {
    boolean address = key.equals("origin") || key.equals("referer");
    head.append(name).append(": ").append(address ? local : value).append("\r\n");
  }

  private static boolean passes(String key) {
    return !HOP.contains(key)
        && !key.equals("cookie")
        && !key.startsWith("fairlead-")
        && !key.startsWith("x-forwarded-");
  }

  /** Tokens of this service and its issuer are bearer tokens. */
  private static boolean credential(String authorization) {
    String sent = authorization.substring(authorization.lastIndexOf(' ') + 1);
    return authorization.toLowerCase(Locale.ROOT).startsWith(BEARER)
        || sent.startsWith(TokenText.PREFIX)
        || sent.startsWith(AttemptCredential.PREFIX);
  }

  /** Returns whether a header of a response passes to the browser. */
  static boolean answers(String key) {
    return !HOP.contains(key) && !SITE.contains(key);
  }

  /**
   * A cookie of the server for the host of its session alone. Empty for the cookie of this service.
   */
  static String setCookie(String value, PageHost host) {
    if (value.stripLeading().startsWith(host.cookie())) {
      return "";
    }
    String[] parts = value.split(";", -1);
    return Stream.concat(
            Stream.of(parts[0]),
            Arrays.stream(parts)
                .skip(1)
                .filter(part -> !part.strip().toLowerCase(Locale.ROOT).startsWith("domain")))
        .collect(Collectors.joining(";"));
  }

  /** The path of a redirect to the server's own address, otherwise the address itself. */
  static String location(String value, int port) {
    for (String local : List.of("http://127.0.0.1:" + port, "http://localhost:" + port)) {
      if (value.equals(local) || value.startsWith(local + "/")) {
        return value.length() == local.length() ? "/" : value.substring(local.length());
      }
    }
    return value;
  }
}
