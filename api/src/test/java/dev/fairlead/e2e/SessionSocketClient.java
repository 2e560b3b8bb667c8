package dev.fairlead.e2e;

import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.json.JsonMapper;

/** A caller of exec or port-forward that speaks the protocol itself. */
final class SessionSocketClient implements WebSocket.Listener {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int CHANNELS = 4;
  private final List<ByteArrayOutputStream> channels =
      java.util.stream.IntStream.range(0, CHANNELS)
          .mapToObj(i -> new ByteArrayOutputStream())
          .toList();
  private final ByteArrayOutputStream part = new ByteArrayOutputStream();
  private final CompletableFuture<String> closed = new CompletableFuture<>();
  private final WebSocket socket;

  private SessionSocketClient(String url, String... headers) {
    WebSocket.Builder builder = CLIENT.newWebSocketBuilder().subprotocols("v5.channel.k8s.io");
    for (int i = 0; i + 1 < headers.length; i += 2) {
      builder.header(headers[i], headers[i + 1]);
    }
    socket = builder.buildAsync(URI.create(url.replaceFirst("http", "ws")), this).join();
  }

  /** The header of a command. */
  static String[] command(String... words) {
    byte[] json = JsonMapper.builder().build().writeValueAsBytes(words);
    return new String[] {"Fairlead-Command", Base64.getUrlEncoder().encodeToString(json)};
  }

  static SessionSocketClient open(String url, String... headers) {
    return new SessionSocketClient(url, headers);
  }

  /** The status of a refused handshake. */
  static int refused(String url, String... headers) {
    try {
      SessionSocketClient opened = open(url, headers);
      throw new AssertionError("it was opened: " + opened.socket.getSubprotocol());
    } catch (CompletionException e) {
      if (e.getCause() instanceof WebSocketHandshakeException answered) {
        return answered.getResponse().statusCode();
      }
      throw e;
    }
  }

  void send(int channel, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    send(ByteBuffer.allocate(bytes.length + 1).put((byte) channel).put(bytes).flip());
  }

  void send(ByteBuffer frame) {
    socket.sendBinary(frame, true).join();
  }

  void endOfInput() {
    send(ByteBuffer.wrap(new byte[] {(byte) 255, 0}));
  }

  void close() {
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
  }

  synchronized String text(int channel) {
    return channels.get(channel).toString(StandardCharsets.UTF_8);
  }

  void awaitText(int channel, String wanted) {
    await(wanted).atMost(PATIENCE).until(() -> text(channel).contains(wanted));
  }

  /** Code and reason of the close. */
  String awaitClose() {
    await("close").atMost(PATIENCE).until(closed::isDone);
    return closed.join();
  }

  @Override
  public synchronized CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    part.writeBytes(bytes);
    if (last) {
      byte[] frame = part.toByteArray();
      part.reset();
      channels.get(frame[0]).write(frame, 1, frame.length - 1);
    }
    from.request(1);
    return null;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    closed.complete((code + " " + reason).strip());
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    closed.complete("error " + error);
  }
}
