package dev.fairlead.work.serving.gate;

import dev.fairlead.work.serving.service.GatedService;
import io.micrometer.core.instrument.Counter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.coyote.CloseNowException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds each request until a replica of its service is ready, and then forwards it. The response is
 * streamed. Each request gets a response, or its connection is closed.
 */
final class GateServlet extends HttpServlet {
  private static final Logger LOG = LoggerFactory.getLogger(GateServlet.class);
  private static final long serialVersionUID = 1;
  private static final Set<String> REFUSED = Set.of("CONNECT", "TRACE");
  private static final Duration RETRY = Duration.ofSeconds(30);
  private static final int PERCENT = 100;
  private static final int BUFFER = 8192;
  private static final int TOO_MANY_REQUESTS = 429;

  /** Status that proxies log in this case. Only a client that still receives sees it. */
  private static final int CLIENT_LEFT = 499;

  private final transient WaitingRoom room;
  private final transient GateSettings settings;
  private final transient HttpClient client;
  private final transient Counter refused;
  private final transient ClientConnections clients;

  /**
   * @param refused counts requests that are refused because of the state of the service
   * @param clients connections of the server of this servlet
   */
  GateServlet(
      WaitingRoom room,
      GateSettings settings,
      HttpClient client,
      Counter refused,
      ClientConnections clients) {
    this.room = room;
    this.settings = settings;
    this.client = client;
    this.refused = refused;
    this.clients = clients;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String host = host(request);
    Optional<GatedService> service = room.find(host);
    if (REFUSED.contains(request.getMethod())) {
      answer(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "The method is not forwarded.");
    } else if (service.isEmpty()) {
      unknown(response);
    } else if (request.getContentLengthLong() > settings.body().toBytes()) {
      tooLong(response);
    } else {
      admitted(request, response, service.get(), host);
    }
  }

  private static String host(HttpServletRequest request) {
    return request.getServerName().toLowerCase(Locale.ROOT);
  }

  private void admitted(
      HttpServletRequest request, HttpServletResponse response, GatedService service, String host)
      throws IOException {
    RequestBody body =
        new RequestBody(
            request.getInputStream(),
            request.getContentLengthLong(),
            settings.body().toBytes(),
            () -> clients.left(request));
    Optional<Place> entered = room.enter(host, body);
    if (entered.isEmpty()) {
      later(response, TOO_MANY_REQUESTS, service, "Too many requests wait for a replica.");
      return;
    }
    try (Place place = entered.get()) {
      held(request, response, service, body, place);
    } catch (InterruptedException stopped) {
      if (entered.get().left()) {
        answer(response, CLIENT_LEFT, "The client closed its side of the connection.");
      } else {
        Thread.currentThread().interrupt();
        later(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, service, "It stops.");
      }
    } catch (IOException failed) {
      throw new CloseNowException("the response is incomplete", failed);
    }
  }

  private void held(
      HttpServletRequest request,
      HttpServletResponse response,
      GatedService found,
      RequestBody body,
      Place place)
      throws IOException, InterruptedException {
    String host = found.state().route();
    Duration patience = found.patience(settings.longestWait());
    long end = System.nanoTime() + patience.toNanos();
    boolean again = false;
    while (true) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      Optional<GatedService> open = room.open(host, left, again);
      if (open.isEmpty() && room.find(host).isEmpty()) {
        unknown(response);
        return;
      }
      if (open.isEmpty()) {
        later(
            response,
            HttpServletResponse.SC_SERVICE_UNAVAILABLE,
            found,
            "No replica became ready in time.");
        return;
      }
      Optional<URI> address = open.get().address(ThreadLocalRandom.current().nextInt(PERCENT));
      if (address.isPresent() && forwarded(request, response, address.get(), body, place)) {
        return;
      }
      again = true;
    }
  }

  /** Returns false if no replica took the connection, so that nothing was sent. */
  private boolean forwarded(
      HttpServletRequest request,
      HttpServletResponse response,
      URI address,
      RequestBody body,
      Place place)
      throws IOException, InterruptedException {
    HttpRequest call;
    try {
      call = call(request, address, body);
    } catch (IllegalArgumentException malformed) {
      LOG.debug("a request is malformed", malformed);
      answer(response, HttpServletResponse.SC_BAD_REQUEST, "The request is malformed.");
      return true;
    }
    HttpResponse<InputStream> from;
    try {
      from = client.send(call, BodyHandlers.ofInputStream());
    } catch (ConnectException | HttpConnectTimeoutException | UnresolvedAddressException absent) {
      LOG.debug("no replica at {}", address, absent);
      return false;
    } catch (HttpTimeoutException slow) {
      LOG.debug("no response from {}", address, slow);
      answer(response, HttpServletResponse.SC_GATEWAY_TIMEOUT, "The replica did not respond.");
      return true;
    } catch (IOException failed) {
      LOG.debug("a request failed at {}", address, failed);
      if (body.tooLong()) {
        tooLong(response);
      } else {
        answer(response, HttpServletResponse.SC_BAD_GATEWAY, "The replica broke the connection.");
      }
      return true;
    }
    pass(from, response, place);
    return true;
  }

  private HttpRequest call(HttpServletRequest request, URI address, RequestBody body) {
    String path = request.getRequestURI();
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("the request target has no path");
    }
    String query = request.getQueryString();
    HttpRequest.Builder call =
        HttpRequest.newBuilder(URI.create(address + path + (query == null ? "" : "?" + query)))
            .timeout(settings.longestAnswer())
            .method(request.getMethod(), publisher(request, body));
    SortedSet<String> ofConnection =
        GateHeaders.ofConnection(Collections.list(request.getHeaders("connection")));
    for (String name : Collections.list(request.getHeaderNames())) {
      for (String value : Collections.list(request.getHeaders(name))) {
        if (GateHeaders.reachesReplica(name, value, ofConnection)) {
          call.header(name, value);
        }
      }
    }
    return call.header(GateHeaders.FORWARDED_HOST, host(request)).build();
  }

  private static BodyPublisher publisher(HttpServletRequest request, RequestBody body) {
    long length = request.getContentLengthLong();
    if (length == 0 || length < 0 && request.getHeader("transfer-encoding") == null) {
      return BodyPublishers.noBody();
    }
    BodyPublisher stream = BodyPublishers.ofInputStream(() -> body);
    return length < 0 ? stream : BodyPublishers.fromPublisher(stream, length);
  }

  /** Closing the response of the replica ends its work when the client is gone. */
  private static void pass(HttpResponse<InputStream> from, HttpServletResponse to, Place place)
      throws IOException {
    try (InputStream in = from.body()) {
      to.setStatus(from.statusCode());
      SortedSet<String> ofConnection =
          GateHeaders.ofConnection(from.headers().allValues("connection"));
      from.headers()
          .map()
          .forEach((name, values) -> {
            if (GateHeaders.reachesClient(name, ofConnection)) {
              values.forEach(value -> to.addHeader(name, value));
            }
          });
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[BUFFER];
      to.flushBuffer();
      for (int count = next(in, buffer, place); count >= 0; count = next(in, buffer, place)) {
        out.write(buffer, 0, count);
        out.flush();
      }
    }
  }

  private static int next(InputStream in, byte[] buffer, Place place) throws IOException {
    place.awaits(true);
    try {
      return in.read(buffer);
    } finally {
      place.awaits(false);
    }
  }

  private static void unknown(HttpServletResponse response) throws IOException {
    answer(response, HttpServletResponse.SC_NOT_FOUND, "No model service has this host name.");
  }

  private void tooLong(HttpServletResponse response) throws IOException {
    answer(
        response,
        HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
        "The body is longer than " + settings.body().toBytes() + " bytes.");
  }

  private void later(HttpServletResponse response, int status, GatedService service, String detail)
      throws IOException {
    refused.increment();
    Duration expected = service.startBudget().orElse(RETRY);
    response.setHeader("Retry-After", Long.toString(Math.max(1, expected.toSeconds())));
    answer(response, status, detail + " Repeat the request later.");
  }

  /**
   * @param detail fixed words, which need no escapes
   */
  private static void answer(HttpServletResponse response, int status, String detail)
      throws IOException {
    response.setStatus(status);
    response.setContentType("application/problem+json");
    String body = "{\"status\":%d,\"detail\":\"%s\"}".formatted(status, detail);
    response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
  }
}
