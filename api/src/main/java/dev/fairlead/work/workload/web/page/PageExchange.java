package dev.fairlead.work.workload.web.page;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.workload.session.BrowserSession;
import dev.fairlead.work.workload.session.MemberStream;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.springframework.http.HttpHeaders;

/** One request of a browser to the server of a session. */
final class PageExchange {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int SWITCHING = 101;

  /** Methods that a server can process twice: it may have received the first request. */
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  private final BrowserSession session;
  private final PageHost host;
  private final int port;
  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final boolean upgrade;

  PageExchange(
      BrowserSession session,
      PageHost host,
      int port,
      HttpServletRequest request,
      HttpServletResponse response) {
    this.session = session;
    this.host = host;
    this.port = port;
    this.request = request;
    this.response = response;
    upgrade = "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE));
  }

  /**
   * Passes the request and its response.
   *
   * @throws Refusal RATE_LIMITED with too many connections, UNAVAILABLE if the server does not
   *     answer
   */
  void run() throws IOException, ServletException {
    BrowserSession.Connection lent = lend(upgrade);
    PageAnswer answer;
    try {
      answer = asked(lent.stream());
    } catch (IOException gone) {
      session.release(lent.stream(), false);
      if (!lent.reused() || !SAFE.contains(request.getMethod()) || sendsBody()) {
        throw unavailable(gone);
      }
      lent = lend(true);
      answer = again(lent.stream());
    }
    if (answer.status() == SWITCHING && upgrade) {
      relay(answer, lent.stream());
      return;
    }
    boolean whole = false;
    try {
      if (answer.status() == SWITCHING) {
        throw unavailable(new IOException("it switches to another protocol"));
      }
      pass(answer, lent.stream());
      whole = answer.keepsAlive();
    } finally {
      session.release(lent.stream(), whole);
    }
  }

  private BrowserSession.Connection lend(boolean fresh) {
    try {
      return session.lend(fresh);
    } catch (IOException refused) {
      throw unavailable(refused);
    }
  }

  /** A server may close a connection just when the next request uses it. */
  private PageAnswer again(MemberStream stream) {
    try {
      return asked(stream);
    } catch (IOException gone) {
      session.release(stream, false);
      throw unavailable(gone);
    }
  }

  private static Refusal unavailable(IOException cause) {
    return new Refusal(
        ProblemCode.UNAVAILABLE, "The server of the session failed: " + cause.getMessage() + ".");
  }

  private boolean sendsBody() {
    return request.getContentLengthLong() > 0
        || request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
  }

  private PageAnswer asked(MemberStream stream) throws IOException {
    OutputStream to = stream.output();
    String head = PageHeaders.head(request, host, port, upgrade);
    to.write(head.getBytes(StandardCharsets.ISO_8859_1));
    if (!upgrade && sendsBody()) {
      send(to);
    }
    return PageAnswer.read(stream.input(PATIENCE), request.getMethod().equals("HEAD"));
  }

  private void send(OutputStream to) throws IOException {
    boolean chunked = request.getContentLengthLong() < 0;
    byte[] piece = new byte[8192];
    InputStream body = request.getInputStream();
    for (int read = body.read(piece); read >= 0; read = body.read(piece)) {
      if (chunked) {
        to.write((Integer.toHexString(read) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      }
      to.write(piece, 0, read);
      if (chunked) {
        to.write("\r\n".getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    if (chunked) {
      to.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  private void head(PageAnswer answer) {
    response.setStatus(answer.status());
    for (PageAnswer.Header header : answer.headers()) {
      String value =
          switch (header.key()) {
            case "set-cookie" -> PageHeaders.setCookie(header.value(), host);
            case "location" -> PageHeaders.location(header.value(), port);
            default -> header.value();
          };
      if (PageHeaders.answers(header.key()) && !value.isEmpty()) {
        response.addHeader(header.name(), value);
      }
    }
    response.addHeader("Content-Security-Policy", "frame-ancestors 'self'");
  }

  private void pass(PageAnswer answer, MemberStream stream) throws IOException {
    head(answer);
    boolean bodiless = request.getMethod().equals("HEAD");
    if (answer.length() >= 0 && !bodiless) {
      response.setContentLengthLong(answer.length());
    }
    OutputStream to = response.getOutputStream();
    answer.body(
        stream.input(PATIENCE),
        (bytes, length) -> {
          to.write(bytes, 0, length);
          if (answer.length() < 0) {
            to.flush(); // events arrive in pieces
          }
        });
    to.flush();
  }

  private void relay(PageAnswer answer, MemberStream stream) throws IOException, ServletException {
    boolean begun = false;
    try {
      head(answer);
      response.setHeader(HttpHeaders.UPGRADE, "websocket");
      response.setHeader(HttpHeaders.CONNECTION, "Upgrade");
      request.upgrade(PageSocket.class).between(session, stream);
      begun = true;
    } finally {
      if (!begun) {
        session.release(stream, false);
      }
    }
  }
}
