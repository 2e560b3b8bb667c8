package dev.fairlead.verify.load.webhook;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLServerSocket;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of all webhooks by HTTPS with persistent connections: checks each signature,
 * the order of each object's events, and repeated ids, and answers 204. It uses little CPU compared
 * with a web server, because it shares the machine with the service.
 */
final class Receiver implements AutoCloseable {
  private static final byte[] ACCEPTED =
      "HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] REFUSED =
      "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String HMAC = "HmacSHA256";
  private static final int BACKLOG = 4_096;
  private static final int LONGEST_LINE = 8_192;

  private final SSLServerSocket server;
  private final Map<String, String> secrets = new ConcurrentHashMap<>();
  private final Set<String> ids = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> versions = new ConcurrentHashMap<>();
  private final Queue<Duration> took = new ConcurrentLinkedQueue<>();
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();
  private final AtomicLong disordered = new AtomicLong();
  private final AtomicLong forged = new AtomicLong();
  private volatile boolean closing;

  private Receiver(SSLServerSocket server) {
    this.server = server;
  }

  static Receiver start(TlsIdentity identity) throws IOException {
    Receiver receiver =
        new Receiver(
            (SSLServerSocket)
                identity
                    .server()
                    .getServerSocketFactory()
                    .createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()));
    Thread _ = Thread.ofPlatform().daemon().name("receiver").start(receiver::accept);
    return receiver;
  }

  String address(String path) {
    return "https://127.0.0.1:" + server.getLocalPort() + path;
  }

  /** Events at the path must be signed by this secret. */
  void expects(String path, String secret) {
    secrets.put(path, secret);
  }

  /**
   * Counts of received events.
   *
   * @param events distinct events
   * @param connections that were opened
   * @param repeated events that had arrived before
   * @param disordered events of an object that arrived after a later one
   * @param forged requests without a valid signature
   */
  record Counts(long events, long connections, long repeated, long disordered, long forged) {}

  Counts counts() {
    return new Counts(
        ids.size(), connections.get(), repeated.get(), disordered.get(), forged.get());
  }

  /** Times from the commit of an event to its arrival, since the last call. */
  List<Duration> took() {
    List<Duration> all = List.copyOf(took);
    took.clear();
    return all;
  }

  private void accept() {
    while (!closing) {
      try {
        Socket socket = server.accept();
        connections.incrementAndGet();
        Thread _ = Thread.startVirtualThread(() -> serve(socket));
      } catch (IOException failed) { // closed, or the client gave up
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      Request request = Request.read(in);
      while (request != null) {
        socket.getOutputStream().write(take(request) ? ACCEPTED : REFUSED);
        request = Request.read(in);
      }
    } catch (IOException | GeneralSecurityException closed) { // counted until its end
    }
  }

  private boolean take(Request request) throws GeneralSecurityException {
    String secret = secrets.get(request.path());
    if (secret == null || !request.signed(secret)) {
      forged.incrementAndGet();
      return false;
    }
    if (!ids.add(request.id())) {
      repeated.incrementAndGet();
      return true;
    }
    String body = request.body();
    took.add(Duration.between(Instant.parse(field(body, "\"at\":\"")), Instant.now()));
    int version = Integer.parseInt(field(body, "\"version\":"));
    Integer before = versions.put(field(body, "\"id\":\"job_"), version);
    if (before != null && before >= version) {
      disordered.incrementAndGet();
    }
    return true;
  }

  /** The value after a name, up to a quotation mark, a comma or a brace. */
  private static String field(String json, String name) {
    int begin = json.indexOf(name) + name.length();
    int end = begin;
    while (json.charAt(end) != '"' && json.charAt(end) != ',' && json.charAt(end) != '}') {
      end++;
    }
    return json.substring(begin, end);
  }

  /** One POST. */
  private record Request(String path, String id, String time, String signature, String body) {
    /** Returns the next request, null at the end of the connection. */
    static @Nullable Request read(InputStream in) throws IOException {
      String first = line(in);
      if (first.isEmpty()) {
        return null;
      }
      String id = "";
      String time = "";
      String signature = "";
      int length = 0;
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        int colon = line.indexOf(':');
        String value = line.substring(colon + 1).strip();
        switch (line.substring(0, colon).toLowerCase(Locale.ROOT)) {
          case "webhook-id" -> id = value;
          case "webhook-timestamp" -> time = value;
          case "webhook-signature" -> signature = value;
          case "content-length" -> length = Integer.parseInt(value);
          default -> {}
        }
      }
      String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
      int from = first.indexOf(' ') + 1;
      return new Request(
          first.substring(from, first.indexOf(' ', from)), id, time, signature, body);
    }

    private static String line(InputStream in) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int read = in.read(); read >= 0 && read != '\n'; read = in.read()) {
        if (read != '\r') {
          line.append((char) read);
        }
        if (line.length() > LONGEST_LINE) {
          throw new IOException("the line is too long");
        }
      }
      return line.toString();
    }

    boolean signed(String secret) throws GeneralSecurityException {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(
          new SecretKeySpec(
              Base64.getDecoder().decode(secret.substring(secret.indexOf('_') + 1)), HMAC));
      byte[] made = mac.doFinal((id + "." + time + "." + body).getBytes(StandardCharsets.UTF_8));
      String expected = "v1," + Base64.getEncoder().encodeToString(made);
      return MessageDigest.isEqual(
          expected.getBytes(StandardCharsets.US_ASCII),
          signature.getBytes(StandardCharsets.US_ASCII));
    }
  }

  @Override
  public void close() throws IOException {
    closing = true;
    server.close();
  }
}
