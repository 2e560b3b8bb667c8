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
import java.util.function.BiFunction;
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

  private final transient WaitingRoom room;
  private final transient GateSettings settings;
  private final transient HttpClient client;
  private final transient Counter refused;
  private final transient BiFunction<GatedService, Integer, Optional<URI>> addresses;

  /**
   * @param refused counts requests that are refused because of the state of the service
   * @param addresses address of a version of a service on this cluster
   */
  GateServlet(
      WaitingRoom room,
      GateSettings settings,
      HttpClient client,
      Counter refused,
      BiFunction<GatedService, Integer, Optional<URI>> addresses) {
    this.room = room;
    this.settings = settings;
    this.client = client;
    this.refused = refused;
    this.addresses = addresses;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String host = request.getServerName().toLowerCase(Locale.ROOT);
    Optional<GatedService> service = room.find(host);
    if (REFUSED.contains(request.getMethod())) {
      answer(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "The method is not forwarded.");
    } else if (service.isEmpty()) {
      answer(response, HttpServletResponse.SC_NOT_FOUND, "No model service has this host name.");
    } else if (request.getContentLengthLong() > settings.body().toBytes()) {
      tooLong(response);
    } else {
      Optional<WaitingRoom.Place> place = room.enter(host);
      if (place.isEmpty()) {
        later(response, TOO_MANY_REQUESTS, service.get(), "Too many requests wait for a replica.");
        return;
      }
      try (WaitingRoom.Place _ = place.get();
          RequestBody body = new RequestBody(request.getInputStream(), settings.body().toBytes())) {
        held(request, response, service.get(), host, body);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        later(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, service.get(), "It stops.");
      }
    }
  }

  private void held(
      HttpServletRequest request,
      HttpServletResponse response,
      GatedService found,
      String host,
      RequestBody body)
      throws IOException, InterruptedException {
    Duration patience = found.patience(settings.longestWait());
    long end = System.nanoTime() + patience.toNanos();
    boolean again = false;
    while (true) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      Optional<GatedService> open = room.open(host, left, again);
      if (open.isEmpty()) {
        later(
            response,
            HttpServletResponse.SC_SERVICE_UNAVAILABLE,
            found,
            "No replica became ready in time.");
        return;
      }
      Optional<URI> address = address(open.get());
      if (address.isPresent() && forwarded(request, response, address.get(), host, body)) {
        return;
      }
      again = true;
    }
  }

  /** Without the database the request waits on. */
  private Optional<URI> address(GatedService service) {
    int version = service.version(ThreadLocalRandom.current().nextInt(PERCENT));
    try {
      return addresses.apply(service, version);
    } catch (RuntimeException failed) {
      LOG.warn("the address of service {} cannot be read", service.settings().name(), failed);
      return Optional.empty();
    }
  }

  /** Returns false if no replica took the connection, so that nothing was sent. */
  private boolean forwarded(
      HttpServletRequest request,
      HttpServletResponse response,
      URI address,
      String host,
      RequestBody body)
      throws IOException, InterruptedException {
    HttpRequest call;
    try {
      call = call(request, address, host, body);
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
    pass(from, response);
    return true;
  }

  private HttpRequest call(HttpServletRequest request, URI address, String host, RequestBody body) {
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
    return call.header(GateHeaders.FORWARDED_HOST, host).build();
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
  private static void pass(HttpResponse<InputStream> from, HttpServletResponse to)
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
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        out.write(buffer, 0, count);
        out.flush();
      }
    }
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
