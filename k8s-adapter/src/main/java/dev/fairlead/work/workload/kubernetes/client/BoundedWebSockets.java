package dev.fairlead.work.workload.kubernetes.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens web sockets to a server that is not trusted: a message has a maximum size, and a connection
 * ends soon after its close, even if the server reads nothing and the close cannot be sent.
 *
 * @param closing time after a close in which the server can answer it
 */
record BoundedWebSockets(WebSocket.Builder real, Duration closing) implements WebSocket.Builder {
  /** The kubelet sends pieces of 32 KiB. */
  static final int LARGEST = 4 * 1024 * 1024;

  @Override
  public WebSocket.Builder header(String name, String value) {
    real.header(name, value);
    return this;
  }

  @Override
  public WebSocket.Builder connectTimeout(Duration timeout) {
    real.connectTimeout(timeout);
    return this;
  }

  @Override
  public WebSocket.Builder subprotocols(String preferred, String... others) {
    real.subprotocols(preferred, others);
    return this;
  }

  @Override
  public CompletableFuture<WebSocket> buildAsync(URI uri, WebSocket.Listener listener) {
    return real.buildAsync(uri, new Bounded(listener)).thenApply(this::ending);
  }

  private WebSocket ending(WebSocket opened) {
    return new Ending(opened, closing);
  }

  /** Counts the parts of a message. */
  private final class Bounded implements WebSocket.Listener {
    private final WebSocket.Listener listener;
    private long size;

    Bounded(WebSocket.Listener listener) {
      this.listener = listener;
    }

    private boolean fits(WebSocket from, int more, boolean last) {
      size += more;
      if (size > LARGEST) {
        from.abort();
        listener.onError(ending(from), new IOException("the server sent too large a message"));
        return false;
      }
      if (last) {
        size = 0;
      }
      return true;
    }

    @Override
    public void onOpen(WebSocket opened) {
      listener.onOpen(ending(opened));
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      return fits(from, data.length(), last) ? listener.onText(ending(from), data, last) : null;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      return fits(from, data.remaining(), last)
          ? listener.onBinary(ending(from), data, last)
          : null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
      return listener.onPing(ending(from), message);
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
      return listener.onPong(ending(from), message);
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      return listener.onClose(ending(from), code, reason);
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      listener.onError(ending(from), error);
    }
  }

  /** Aborts after its close. */
  private record Ending(WebSocket real, Duration closing) implements WebSocket {
    @Override
    public CompletableFuture<WebSocket> sendText(CharSequence data, boolean last) {
      return real.sendText(data, last);
    }

    @Override
    public CompletableFuture<WebSocket> sendBinary(ByteBuffer data, boolean last) {
      return real.sendBinary(data, last);
    }

    @Override
    public CompletableFuture<WebSocket> sendPing(ByteBuffer message) {
      return real.sendPing(message);
    }

    @Override
    public CompletableFuture<WebSocket> sendPong(ByteBuffer message) {
      return real.sendPong(message);
    }

    @Override
    public CompletableFuture<WebSocket> sendClose(int code, String reason) {
      CompletableFuture.delayedExecutor(closing.toMillis(), TimeUnit.MILLISECONDS)
          .execute(real::abort);
      return real.sendClose(code, reason);
    }

    @Override
    public void request(long more) {
      real.request(more);
    }

    @Override
    public String getSubprotocol() {
      return real.getSubprotocol();
    }

    @Override
    public boolean isOutputClosed() {
      return real.isOutputClosed();
    }

    @Override
    public boolean isInputClosed() {
      return real.isInputClosed();
    }

    @Override
    public void abort() {
      real.abort();
    }
  }
}
