package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A session through {@code pods/exec} or {@code pods/portforward} of the API server. Uses the web
 * socket of fabric8 and not its {@code exec()}, which speaks {@code v4.channel.k8s.io}: that
 * protocol cannot end the input of a command.
 */
public final class PodSession implements MemberSession, WebSocket.Listener {
  private static final String EXEC = "v5.channel.k8s.io";
  private static final String FORWARD = "v4.channel.k8s.io";

  /** The first frame of each of the two channels of a forwarded port is its number. */
  private static final int PORT_FRAMES = 2;

  private static final int NORMAL = 1000;
  private static final long PAUSE_MILLIS = 2;
  private final Receiver receiver;
  private final boolean port;
  private final ReentrantLock delivery = new ReentrantLock();
  private final CompletableFuture<WebSocket> socket = new CompletableFuture<>();
  private int frames;
  private boolean result;
  private volatile boolean ended;

  /**
   * Set before the session ends, because a close frame waits behind a frame that the member does
   * not read.
   */
  private volatile boolean closed;

  private PodSession(Receiver receiver, boolean port) {
    this.receiver = receiver;
    this.port = port;
  }

  /**
   * Opens a session and waits for the response of the API server.
   *
   * @throws Refused if the API server refuses it
   * @throws IOException if there is no response within the time. The message is for people
   */
  public static MemberSession open(
      KubernetesClient client, SessionRequest request, Receiver receiver, long timeoutMillis)
      throws IOException {
    boolean port = request.target() instanceof SessionRequest.Port;
    PodSession session = new PodSession(receiver, port);
    CompletableFuture<WebSocket> answer =
        client
            .getHttpClient()
            .newWebSocketBuilder()
            .uri(URI.create(client.getConfiguration().getMasterUrl() + path(request)))
            .connectTimeout(timeoutMillis, TimeUnit.MILLISECONDS)
            .subprotocol(port ? FORWARD : EXEC)
            .buildAsync(session);
    try {
      answer.get(timeoutMillis, TimeUnit.MILLISECONDS);
      return session;
    } catch (InterruptedException e) {
      closeLate(answer);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (TimeoutException e) {
      closeLate(answer);
      throw new IOException("the cluster does not answer", e);
    } catch (ExecutionException e) {
      throw failure(Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  /** A connection that opens after its caller has given up is closed again. */
  private static void closeLate(CompletableFuture<WebSocket> answer) {
    CompletableFuture<Void> _ = answer.thenAccept(late -> late.sendClose(NORMAL, ""));
  }

  private static String path(SessionRequest request) {
    String pod =
        "api/v1/namespaces/"
            + request.namespace()
            + "/pods/"
            + ObjectNames.pod(request.attempt(), request.member());
    return switch (request.target()) {
      case SessionRequest.Port(int number) -> pod + "/portforward?ports=" + number;
      case SessionRequest.Command command ->
          pod
              + "/exec?container="
              + Objects.requireNonNullElse(request.container(), PodSpecs.CONTAINER)
              + "&stdout=true&stderr="
              + !command.terminal()
              + "&stdin="
              + command.input()
              + "&tty="
              + command.terminal()
              + words(command.words());
    };
  }

  private static String words(List<String> words) {
    StringBuilder query = new StringBuilder();
    for (String word : words) {
      query.append("&command=").append(URLEncoder.encode(word, StandardCharsets.UTF_8));
    }
    return query.toString();
  }

  private static IOException failure(Throwable cause) {
    if (!(cause instanceof WebSocketHandshakeException answered)) {
      return new IOException("the cluster does not answer", cause);
    }
    int code = answered.getResponse().code();
    return switch (code) {
      case HttpURLConnection.HTTP_FORBIDDEN ->
          new Refused(
              "the cluster does not permit sessions: ask its administrator to"
                  + " apply deploy/cluster-exec.yaml");
      case HttpURLConnection.HTTP_NOT_FOUND -> new Refused("its pod does not exist");
      case HttpURLConnection.HTTP_BAD_REQUEST ->
          new Refused(
              "the cluster cannot open the session: the container does not run, or is unknown");
      default -> new IOException("the cluster answers with HTTP " + code, cause);
    };
  }

  @Override
  public void onOpen(WebSocket opened) {
    socket.complete(opened);
  }

  @Override
  public void onMessage(WebSocket from, String text) {
    onMessage(from, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** The next frame is requested after this one, so frames stay in order without a queue. */
  @Override
  public void onMessage(WebSocket from, ByteBuffer frame) {
    Thread _ =
        Thread.ofVirtual()
            .name("pod-session")
            .start(() -> {
              delivery.lock();
              try {
                deliver(frame);
                from.request();
              } catch (IOException | RuntimeException gone) {
                close();
                end("the receiver accepts no more data");
              } finally {
                delivery.unlock();
              }
            });
  }

  private void deliver(ByteBuffer frame) throws IOException {
    boolean first = ++frames <= PORT_FRAMES;
    if (ended || closed || port && first || frame.remaining() <= 1) {
      return; // an API server announces each channel by a frame without data
    }
    if (port) { // channel 1 has an error as text
      frame = frame.get(0) == INPUT ? as(OUTPUT, frame) : as(ERRORS, frame);
    }
    result |= frame.get(0) == RESULT;
    receiver.frame(frame);
  }

  private static ByteBuffer as(byte channel, ByteBuffer frame) {
    return ByteBuffer.allocate(frame.remaining()).put(frame).put(0, channel).flip();
  }

  @Override
  public void onClose(WebSocket from, int code, String reason) {
    boolean regular = port || result;
    end(regular ? "" : "the cluster has closed the connection");
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    end(result ? "" : "the connection to the cluster has failed");
  }

  private void end(String why) {
    if (!socket.isDone()) {
      return; // not opened, so its caller gets the failure
    }
    delivery.lock();
    try {
      if (!ended) {
        ended = true;
        receiver.ended(why);
      }
    } finally {
      delivery.unlock();
    }
  }

  /** The JDK's web socket refuses a frame while another is being sent. */
  @Override
  public void send(ByteBuffer frame) throws IOException {
    if (port && frame.get(0) != INPUT) {
      return; // a port has no terminal size and no half-close
    }
    WebSocket to = socket.join();
    try {
      while (to.queueSize() > 0 && !ended && !closed) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
    if (ended || closed || !to.send(frame)) {
      throw new IOException("the session has ended");
    }
  }

  @Override
  public void close() {
    closed = true;
    if (!ended) {
      socket.join().sendClose(NORMAL, "");
    }
  }
}
