package dev.fairlead.kernel.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of receivers, good and bad. {@code |} is a line break. */
class HttpAnswerTest {
  private static HttpAnswer read(String response) throws IOException {
    byte[] bytes = response.replace("|", "\r\n").getBytes(ISO_8859_1);
    return HttpAnswer.read(new ByteArrayInputStream(bytes), 10);
  }

  /** Fails when a connection with the rest of a response carries the next request. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "HTTP/1.1 204 No Content||~ 204~ ''~ true",
        "HTTP/1.1 200||~ 200~ ''~ false",
        "HTTP/1.1 200 OK|Content-Length: 0||~ 200~ ''~ true",
        "HTTP/1.1 200 OK|Content-Length: 4||fine~ 200~ fine~ true",
        "HTTP/1.1 200 OK|content-length:10||0123456789~ 200~ 0123456789~ true",
        "HTTP/1.1 200 OK|Content-Length: 11||0123456789x~ 200~ 0123456789~ false",
        "HTTP/1.1 200 OK|Content-Length: 9||fine~ 200~ fine~ false",
        "HTTP/1.1 200 OK|Content-Length: none||fine~ 200~ fine~ false",
        "HTTP/1.1 200 OK|Content-Length: 4||fineHTTP/1.1 500~ 200~ fine~ false",
        "HTTP/1.0 200 OK|Content-Length: 4||fine~ 200~ fine~ false",
        "HTTP/1.1 200 OK|Connection: Close|Content-Length: 4||fine~ 200~ fine~ false",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||2|fi|2;x=y|ne|0||~ 200~ fine~ true",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||4|fine|0|Trailer: x||~ 200~ fine~ false",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||4|fine|ffffffff|x~ 200~ finex~ false",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||4|fine|-1|x~ 200~ fine~ false",
        "HTTP/1.1 200 OK|Transfer-Encoding: gzip, chunked||x~ 200~ ''~ false",
        "HTTP/1.1 100 Continue||HTTP/1.1 503 Busy|Content-Length: 0||~ 503~ ''~ true",
      })
  void statusAndStartOfTheBodyAreRead(String response, int status, String beginning, boolean whole)
      throws IOException {
    assertThat(read(response)).isEqualTo(new HttpAnswer(status, null, beginning, whole));
  }

  @Test
  void retryAfterIsRead() throws IOException {
    assertThat(read("HTTP/1.1 429 Busy|retry-after: 7|Content-Length: 0||").retryAfter())
        .isEqualTo("7");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "SSH-2.0-OpenSSH|",
        "HTTP/1.1 20 OK||",
        "HTTP/2 200||",
        "HTTP/1.1 200 OK|Content-Length: 4|",
        "HTTP/1.1 100 Continue||"
      })
  void responseWithoutAStatusIsInvalid(String response) {
    assertThatIOException().isThrownBy(() -> read(response));
  }

  /** Fails when a receiver fills the memory with a header that never ends. */
  @Test
  void endlessHeadersAreRejected() {
    assertThatIOException()
        .isThrownBy(() -> read("HTTP/1.1 200 OK|" + "x: y|".repeat(100_000)))
        .withMessage("the response is too long");
  }
}
