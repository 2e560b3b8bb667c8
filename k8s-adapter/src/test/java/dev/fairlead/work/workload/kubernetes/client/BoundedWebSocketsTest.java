package dev.fairlead.work.workload.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.workload.kubernetes.DeafServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BoundedWebSocketsTest {
  private static final int PATIENCE = 60;

  private static WebSocket open(HttpClient client, DeafServer server, WebSocket.Listener listener)
      throws Exception {
    return new BoundedWebSockets(client.newWebSocketBuilder(), Duration.ofMillis(100))
        .subprotocols("v5.channel.k8s.io")
        .buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/"), listener)
        .get(PATIENCE, TimeUnit.SECONDS);
  }

  /** Fails when a close that waits behind unread data leaves the connection open. */
  @Test
  void closeEndsTheConnectionToAServerThatReadsNothing() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient();
        DeafServer server = new DeafServer()) {
      WebSocket socket = open(client, server, new WebSocket.Listener() {});
      CompletableFuture<WebSocket> sent = socket.sendBinary(ByteBuffer.allocate(32 << 20), true);
      CompletableFuture<WebSocket> _ = socket.sendClose(WebSocket.NORMAL_CLOSURE, "");

      assertThatThrownBy(() -> sent.get(PATIENCE, TimeUnit.SECONDS))
          .hasCauseInstanceOf(IOException.class);
    }
  }

  /** Fails when a server can fill the memory with the parts of one message. */
  @Test
  void oversizedMessageEndsTheConnection() throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    try (HttpClient client = HttpClient.newHttpClient();
        DeafServer server = new DeafServer()) {
      WebSocket socket =
          open(
              client,
              server,
              new WebSocket.Listener() {
                @Override
                public void onError(WebSocket from, Throwable error) {
                  failure.complete(error);
                }
              });
      // a binary frame that is not the last, with a length of 5 MiB in 8 bytes
      server.send(new byte[] {2, 127, 0, 0, 0, 0, 0, 0x50, 0, 0});
      Thread _ =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  server.send(new byte[5 << 20]);
                } catch (IOException closed) { // as it should be
                }
              });

      assertThat(failure.get(PATIENCE, TimeUnit.SECONDS)).hasMessageContaining("too large");
      assertThat(socket.isInputClosed()).isTrue();
    }
  }
}
