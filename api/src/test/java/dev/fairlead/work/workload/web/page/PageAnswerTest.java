package dev.fairlead.work.workload.web.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageAnswerTest {
  private static InputStream sent(String text) {
    return new ByteArrayInputStream(
        text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String body(String text) throws IOException {
    InputStream from = sent(text);
    StringBuilder body = new StringBuilder();
    PageAnswer.read(from, false)
        .body(
            from,
            (bytes, length) ->
                body.append(new String(bytes, 0, length, StandardCharsets.ISO_8859_1)));
    return body.toString();
  }

  @Test
  void bodyEndsByLengthChunksOrConnectionClose() throws IOException {
    assertThat(body("HTTP/1.1 200 OK|Content-Length: 3||abcdef")).isEqualTo("abc");
    assertThat(body("HTTP/1.1 200 OK|Transfer-Encoding: chunked||3;x=y|abc|2|de|0|T: r||next"))
        .isEqualTo("abcde");
    assertThat(body("HTTP/1.0 200 OK||abc")).isEqualTo("abc");
    assertThat(body("HTTP/1.1 100 Continue||HTTP/1.1 204||abc")).isEmpty();
  }

  /** Fails when the rest of one answer is read as the next. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "HTTP/1.1 200 OK|Content-Length: 3; true",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked; true",
        "HTTP/1.1 200 OK|Content-Length: 3|Connection: Close; false",
        "HTTP/1.1 200 OK; false",
        "HTTP/1.0 200 OK|Content-Length: 3; false"
      })
  void onlyACompleteResponseReusesItsConnection(String head, boolean keeps) throws IOException {
    assertThat(PageAnswer.read(sent(head + "||"), false).keepsAlive()).isEqualTo(keeps);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SSH-2.0-OpenSSH||; does not answer with HTTP/1.1",
        "HTTP/1.1 200 OK|Content-Length: 3|Content-Length: 4||; invalid Content-Length",
        "HTTP/1.1 200 OK|Content-Length: -3||; invalid Content-Length",
        "HTTP/1.1 200 OK|Transfer-Encoding: gzip||; unknown transfer encoding",
        "HTTP/1.1 200 OK|no header||; invalid header",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||zz|; invalid chunk",
        "HTTP/1.1 200 OK|Content-Length: 9||abc; has closed the connection",
        "HTTP/1.1 200 OK; has closed the connection"
      })
  void invalidResponseIsRejected(String text, String why) {
    assertThatThrownBy(() -> body(text.strip()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why.strip());
  }

  @Test
  void endlessHeadersAreRejected() {
    String endless = "HTTP/1.1 200 OK|A: " + "x".repeat(70_000) + "||";
    assertThatThrownBy(() -> body(endless)).hasMessageContaining("too long");
    String waiting = "HTTP/1.1 100 Continue||".repeat(5_000) + "HTTP/1.1 200 OK||";
    assertThatThrownBy(() -> body(waiting)).hasMessageContaining("too long");
  }
}
