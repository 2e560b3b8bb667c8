package dev.fairlead.work.workload.web;

import dev.fairlead.work.workload.session.OpenSession;
import dev.fairlead.work.workload.session.SessionClient;
import dev.fairlead.work.workload.session.SessionEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.springframework.web.socket.BinaryMessage;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.adapter.standard.StandardWebSocketSession;
import org.springframework.web.socket.handler.AbstractWebSocketHandler;

/** The web socket of a session. Frames pass without a queue in either direction. */
final class SessionSocket extends AbstractWebSocketHandler implements SessionClient {
  /** Largest frame of a caller. A larger one ends the session. */
  static final int MOST_BYTES = 64 * 1024;

  /** Longest reason of a close, in bytes of UTF-8. */
  private static final int MOST_REASON = 120;

  private static final int HANDSHAKE_SECONDS = 20;
  private static final String SEND_TIMEOUT = "org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT";
  private static final long SEND_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private final BooleanSupplier permitted;
  private final CompletableFuture<WebSocketSession> socket = new CompletableFuture<>();
  private final CompletableFuture<OpenSession> session = new CompletableFuture<>();

  /**
   * @param permitted whether the caller still has its access
   */
  SessionSocket(BooleanSupplier permitted) {
    this.permitted = permitted;
  }

  /** Sets the session. The cluster may have sent its first frames already. */
  void of(OpenSession opened) {
    session.complete(opened);
  }

  /** The handshake failed, so waiting frames have no receiver. */
  void failed() {
    socket.cancel(false);
    session.join().close();
  }

  @Override
  public void afterConnectionEstablished(WebSocketSession opened) {
    opened.setBinaryMessageSizeLimit(MOST_BYTES);
    opened.setTextMessageSizeLimit(1);
    if (opened instanceof StandardWebSocketSession standard) {
      standard.getNativeSession().getUserProperties().put(SEND_TIMEOUT, SEND_MILLIS);
    }
    socket.complete(opened);
  }

  @Override
  protected void handleBinaryMessage(WebSocketSession from, BinaryMessage message)
      throws IOException {
    ByteBuffer frame = message.getPayload();
    if (!frame.hasRemaining()) {
      from.close(CloseStatus.BAD_DATA.withReason("a frame begins with its channel"));
      return;
    }
    try {
      session.join().send(frame);
    } catch (IOException ended) {
      session.join().close(); // its end closes this socket
    }
  }

  @Override
  protected void handleTextMessage(WebSocketSession from, TextMessage message) throws IOException {
    from.close(CloseStatus.NOT_ACCEPTABLE.withReason("frames are binary"));
  }

  @Override
  public void handleTransportError(WebSocketSession from, Throwable failure) {
    session.join().close();
  }

  @Override
  public void afterConnectionClosed(WebSocketSession from, CloseStatus status) {
    session.join().close();
  }

  @Override
  public void frame(ByteBuffer frame) throws IOException {
    try {
      socket.get(HANDSHAKE_SECONDS, TimeUnit.SECONDS).sendMessage(new BinaryMessage(frame));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException | TimeoutException | IllegalStateException gone) {
      throw new IOException("the caller is gone", gone);
    }
  }

  @Override
  public void ended(SessionEnd end) {
    Future<?> _ =
        socket.thenAccept(opened -> {
          try {
            opened.close(status(end));
          } catch (IOException | IllegalStateException gone) { // it is closed
          }
        });
  }

  private static CloseStatus status(SessionEnd end) {
    CloseStatus status =
        switch (end.cause()) {
          case REGULAR -> CloseStatus.NORMAL;
          case CLUSTER -> CloseStatus.SERVER_ERROR;
          case RULE -> CloseStatus.POLICY_VIOLATION;
          case SHUTDOWN -> CloseStatus.SERVICE_RESTARTED;
        };
    return end.why().isEmpty() ? status : status.withReason(shortened(end.why()));
  }

  private static String shortened(String text) {
    String ascii = text.replaceAll("[^ -~]", "?");
    byte[] bytes = ascii.getBytes(StandardCharsets.US_ASCII);
    return bytes.length <= MOST_REASON ? ascii : ascii.substring(0, MOST_REASON);
  }

  @Override
  public boolean permitted() {
    return permitted.getAsBoolean();
  }
}
