package dev.fairlead.kernel.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTPS POSTs to addresses that users specify. Many of them share an address. Each call
 * resolves and checks the address as {@link SafeHttps} does. Connections to checked addresses
 * remain open for later calls for the maximum duration of a call, because a TLS handshake costs
 * more than ten calls. Redirects and proxies are not followed. Thread-safe.
 */
public final class HttpsPool {
  /** Maximum number of connections that wait for a call. Many may wait for the same host. */
  private static final int IDLE = 2_000;

  /** Maximum number of certificate authorities with prepared TLS. */
  private static final int CONTEXTS = 1_000;

  private final EgressPolicy egress;
  private final Duration most;
  private final int longest;
  private final Map<Place, Deque<PostConnection>> idle = new LinkedHashMap<>();
  private final Map<String, SSLContext> contexts = new LinkedHashMap<>();
  private int idling;
  private long swept = System.nanoTime();

  private record Place(String host, int port, InetAddress address, @Nullable String caData) {}

  /**
   * @param most time of one call, from the connection to the end of the response
   * @param longest maximum number of bytes that are read of a response's body
   */
  public HttpsPool(EgressPolicy egress, Duration most, int longest) {
    this.egress = egress;
    this.most = most;
    this.longest = longest;
  }

  /**
   * Sends the body once. If the receiver closed a connection of an earlier call, the body is sent
   * by a new one.
   *
   * @param url as accepted by {@link ServerUrl}
   * @param caData base64 of PEM certificates, null for the system's
   * @param headers names and values without line breaks
   * @throws IOException without a response in time
   */
  public HttpAnswer post(
      String url, @Nullable String caData, SortedMap<String, String> headers, byte[] body)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    long until = System.nanoTime() + most.toNanos();
    ServerUrl server = ServerUrl.parse(url);
    InetAddress address = egress.resolve(server.host()).getFirst();
    Place place = new Place(server.host(), server.port(), address, caData);
    byte[] request = request(url, headers, body);
    PostConnection rested = rested(place);
    if (rested != null) {
      try {
        return answer(place, rested, request, until);
      } catch (IOException failed) {
        if (!rested.wasStale() || System.nanoTime() - until >= 0) {
          throw failed;
        }
      }
    }
    SSLContext context = context(caData);
    return answer(
        place,
        PostConnection.open(context, server.host(), server.port(), address, until),
        request,
        until);
  }

  private static byte[] request(String url, SortedMap<String, String> headers, byte[] body) {
    StringBuilder head = new StringBuilder("POST ");
    String authority = url.substring(url.indexOf("//") + 2);
    int slash = authority.indexOf('/');
    head.append(slash < 0 ? "/" : authority.substring(slash));
    head.append(" HTTP/1.1\r\nHost: ");
    head.append(slash < 0 ? authority : authority.substring(0, slash));
    head.append("\r\nUser-Agent: fairlead\r\nContent-Type: application/json");
    headers.forEach((name, value) -> head.append("\r\n").append(name).append(": ").append(value));
    head.append("\r\nContent-Length: ").append(body.length).append("\r\n\r\n");
    ByteArrayOutputStream request = new ByteArrayOutputStream(head.length() + body.length);
    request.writeBytes(head.toString().getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(body);
    return request.toByteArray();
  }

  private HttpAnswer answer(Place place, PostConnection connection, byte[] request, long until)
      throws IOException {
    boolean stays = false;
    try {
      HttpAnswer answer = connection.post(request, until, longest);
      stays = answer.whole() && rests(place, connection);
      return answer;
    } finally {
      if (!stays) {
        connection.close();
      }
    }
  }

  private @Nullable PostConnection rested(Place place) {
    synchronized (idle) {
      Deque<PostConnection> waiting = idle.getOrDefault(place, new ArrayDeque<>());
      while (!waiting.isEmpty()) {
        PostConnection last = waiting.removeLast();
        idling--;
        if (last.silent()) {
          return last;
        }
        last.close();
      }
      return null;
    }
  }

  /** Returns false when enough connections wait already. */
  private boolean rests(Place place, PostConnection connection) {
    long now = System.nanoTime();
    /* Not longer than a call: its deadline would be before the present one. */
    connection.rest(now + most.toNanos());
    synchronized (idle) {
      if (now - swept > most.toNanos()) {
        idle.values().forEach(all -> all.removeIf(each -> !each.open()));
        idle.values().removeIf(Deque::isEmpty);
        idling = idle.values().stream().mapToInt(Deque::size).sum();
        swept = now;
      }
      Deque<PostConnection> waiting = idle.computeIfAbsent(place, each -> new ArrayDeque<>());
      boolean room = idling < IDLE;
      if (room) {
        waiting.addLast(connection);
        idling++;
      }
      return room;
    }
  }

  private SSLContext context(@Nullable String caData) throws GeneralSecurityException {
    if (caData == null) {
      return ServerTls.context(null);
    }
    synchronized (contexts) {
      SSLContext known = contexts.get(caData);
      if (known != null) {
        return known;
      }
    }
    SSLContext made = ServerTls.context(caData);
    synchronized (contexts) {
      if (contexts.size() >= CONTEXTS) {
        contexts.clear();
      }
      contexts.put(caData, made);
    }
    return made;
  }
}
