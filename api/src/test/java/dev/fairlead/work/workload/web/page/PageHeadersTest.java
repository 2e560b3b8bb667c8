package dev.fairlead.work.workload.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class PageHeadersTest {
  private static final PageHost HOST =
      PageHost.of(new JobId(new UUID(1, 2)), URI.create("https://sessions.example.com"));

  /**
   * Fails when a server of a member can set cookies of other hosts, or the cookie of the service.
   */
  @Test
  void cookieOfTheServerIsBoundToItsHost() {
    assertThat(PageHeaders.setCookie("a=b; Path=/; domain=example.com; Secure", HOST))
        .isEqualTo("a=b; Path=/; Secure");
    assertThat(PageHeaders.setCookie("domain_id=b; Domain=example.com", HOST))
        .isEqualTo("domain_id=b");
    assertThat(PageHeaders.setCookie("__Host-fairlead-session=x; Path=/", HOST)).isEmpty();
    assertThat(PageHeaders.answers("clear-site-data")).isFalse();
    assertThat(PageHeaders.answers("strict-transport-security")).isFalse();
    assertThat(PageHeaders.answers("x-jupyter")).isTrue();
  }

  @Test
  void redirectToTheServersAddressStaysAtTheHost() {
    assertThat(PageHeaders.location("http://127.0.0.1:8888/lab?x", 8888)).isEqualTo("/lab?x");
    assertThat(PageHeaders.location("http://localhost:8888", 8888)).isEqualTo("/");
    assertThat(PageHeaders.location("http://127.0.0.1:88889/lab", 8888))
        .isEqualTo("http://127.0.0.1:88889/lab");
    assertThat(PageHeaders.location("/login", 8888)).isEqualTo("/login");
  }

  @Test
  void linkAndCookieAreScopedToTheHostOfTheSession() {
    assertThat(HOST.link("x.y")).matches("https://job-[0-9a-z]{26}\\.sessions\\.example\\.com/.*");
    assertThat(HOST.setCookie("x"))
        .startsWith("__Host-fairlead-session=x;")
        .contains("Secure", "HttpOnly", "Path=/");
  }

  /** Fails when the end of a request can be forged: its body would be the next request. */
  @Test
  void webSocketRequestHasNoBody() {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
    request.addHeader("Upgrade", "websocket");
    request.addHeader("Connection", "Upgrade, X-Other");
    request.addHeader("Transfer-Encoding", "chunked");
    assertThat(PageHeaders.head(request, HOST, 8888, true))
        .isEqualTo(
            "GET /a HTTP/1.1\r\nHost: 127.0.0.1:8888\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  }
}
