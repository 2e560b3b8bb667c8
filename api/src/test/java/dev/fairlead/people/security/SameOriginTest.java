package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** The headers were recorded from browsers and programs. */
class SameOriginTest {
  private static final String FIREFOX =
      "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

  /** {@code headers}: as {@code Name: value}, one each. */
  private static boolean allows(String method, String... headers) {
    MockHttpServletRequest request = new MockHttpServletRequest(method, "/api/v1/nodes/a/cordon");
    request.setServerName("127.0.0.1");
    request.setServerPort(8080);
    for (String header : headers) {
      String[] parts = header.split(": ", 2);
      request.addHeader(parts[0], parts[1]);
    }
    return SameOrigin.allows(request);
  }

  /**
   * Fails when the port of the page is ignored, for example for a notebook on the host of the
   * service.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:9993",
        "http://127.0.0.1",
        "http://localhost:8080",
        "http://evil.example:8080",
        "https://127.0.0.1",
        "null",
        "http://",
        "%"
      })
  void requestFromAnotherOriginIsRejected(String origin) {
    assertThat(allows("POST", "Origin: " + origin)).isFalse();
    assertThat(allows("GET", "Origin: " + origin)).isFalse();
  }

  /** Fails when only the first of two headers counts. */
  @Test
  void requestWithTwoOriginsIsRejected() {
    assertThat(allows("POST", "Origin: http://127.0.0.1:8080", "Origin: http://evil.example"))
        .isFalse();
    assertThat(allows("POST", "Origin: http://127.0.0.1:8080", "Origin: http://127.0.0.1:8080"))
        .isFalse();
  }

  /** Fails when a browser request without Origin counts as a program. */
  @Test
  void bodylessPostFromAnotherOriginIsRejected() {
    assertThat(allows("POST", "Sec-Fetch-Site: cross-site", "User-Agent: " + FIREFOX)).isFalse();
    assertThat(allows("POST", "Sec-Fetch-Site: same-site", "User-Agent: " + FIREFOX)).isFalse();
    assertThat(allows("POST", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"))
        .isFalse();
    assertThat(allows("POST", "User-Agent: " + FIREFOX)).isFalse();
    assertThat(allows("DELETE", "User-Agent: " + FIREFOX)).isFalse();
  }

  /** Fails when Swagger UI, a link to it, the CLI or curl is refused. */
  @Test
  void sameOriginPagesLinksAndProgramsAreAllowed() {
    assertThat(
            allows(
                "POST",
                "Origin: http://127.0.0.1:8080",
                "Sec-Fetch-Site: same-origin",
                "User-Agent: " + FIREFOX))
        .isTrue();
    assertThat(allows("GET", "Sec-Fetch-Site: cross-site", "User-Agent: " + FIREFOX)).isTrue();
    assertThat(allows("POST", "User-Agent: curl/8.5.0")).isTrue();
    assertThat(allows("POST", "User-Agent: python-httpx/0.28.1")).isTrue();
    assertThat(allows("POST")).isTrue();
  }

  /** Fails when a name that resolves to this machine by DNS rebinding is accepted. */
  @Test
  void hostMustBeThisMachine() {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/v1/jobs");
    request.setServerName("evil.example");

    assertThat(SameOrigin.allows(request)).isFalse();
  }
}
