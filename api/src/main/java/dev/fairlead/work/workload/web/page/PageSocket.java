package dev.fairlead.work.workload.web.page;

import dev.fairlead.work.workload.session.BrowserSession;
import dev.fairlead.work.workload.session.MemberStream;
import jakarta.servlet.http.WebConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;
import org.apache.coyote.http11.upgrade.InternalHttpUpgradeHandler;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket between a browser and the server of a session. Its bytes pass unchanged, without a
 * queue in either direction. It uses the socket of Tomcat itself: streams of a servlet wait without
 * a limit for a browser that reads nothing, and continue to wait after they were closed.
 */
public final class PageSocket implements InternalHttpUpgradeHandler {
  private static final int PIECE = 16 * 1024;

  /** Sessions have their own bounds of idle time and duration. */
  private static final Duration PATIENCE = Duration.ofDays(8);

  /** Maximum wait for a browser that accepts no data. */
  private static final Duration ACCEPTING = Duration.ofMinutes(5);

  private @Nullable BrowserSession session;
  private @Nullable MemberStream stream;
  private @Nullable SocketWrapperBase<?> socket;

  void between(BrowserSession browser, MemberStream member) {
    session = browser;
    stream = member;
  }

  @Override
  public void setSocketWrapper(SocketWrapperBase<?> wrapper) {
    socket = wrapper;
  }

  /** Relays until one end closes. The thread of the connection waits here. */
  @Override
  public void init(WebConnection connection) {
    MemberStream member = Objects.requireNonNull(stream);
    SocketWrapperBase<?> browser = Objects.requireNonNull(socket);
    browser.setWriteTimeout(ACCEPTING.toMillis());
    Thread receiver = Thread.currentThread();
    Thread sender = Thread.ofVirtual().name("page-socket").unstarted(() -> send(browser, member));
    member.onClose(() -> {
      browser.close();
      sender.interrupt(); // only this ends a wait for a closed socket
      receiver.interrupt();
    });
    sender.start();
    try {
      receive(member.input(PATIENCE), browser);
    } catch (IOException gone) { // either end has disconnected
    } finally {
      Objects.requireNonNull(session).release(member, false);
      boolean _ = Thread.interrupted();
    }
  }

  private static void send(SocketWrapperBase<?> browser, MemberStream member) {
    byte[] piece = new byte[PIECE];
    OutputStream to = member.output();
    try (member) {
      for (int read = browser.read(true, piece, 0, PIECE);
          read >= 0;
          read = browser.read(true, piece, 0, PIECE)) {
        to.write(piece, 0, read);
      }
    } catch (IOException gone) { // either end has disconnected
    }
  }

  private static void receive(InputStream member, SocketWrapperBase<?> browser) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int read = member.read(piece); read >= 0; read = member.read(piece)) {
      browser.write(true, piece, 0, read);
      browser.flush(true);
    }
  }

  @Override
  public void destroy() {
    MemberStream member = stream;
    if (member != null) {
      member.close();
    }
  }

  /** The threads above do all input and output, so an event follows their end. */
  @Override
  public SocketState upgradeDispatch(SocketEvent status) {
    return SocketState.CLOSED;
  }

  @Override
  public void timeoutAsync(long now) {}

  @Override
  public void setSslSupport(SSLSupport support) {}

  @Override
  public void pause() {}
}
