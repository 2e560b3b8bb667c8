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

  /** Status that proxies log in this case. Only a client that is still connected receives it. */
  private static final int CLIENT_LEFT = 499;

  private final transient WaitingRoom room;
  private final transient KeyGuard guard;
  private final transient GateSettings settings;
  private final transient HttpClient client;
  private final transient Counter refused;
  private final transient ClientConnections clients;

  /**
   * @param guard checks the keys of requests
   * @param refused counts requests that are refused because of the state of the service
   * @param clients connections of the server of this servlet
   */
  GateServlet(
      WaitingRoom room,
      KeyGuard guard,
      GateSettings settings,
      HttpClient client,
      Counter refused,
      ClientConnections clients) {
    this.room = room;
    this.guard = guard;
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
      GateAnswers.answer(
          response,
          HttpServletResponse.SC_METHOD_NOT_ALLOWED,
          "The method is not forwarded.",
          service.filter(GatedService::keyed).isPresent());
    } else if (service.isEmpty()) {
      unknown(response, CallMeter.NONE);
    } else {
      Optional<CallMeter> meter = guard.admitted(request, response, service.get());
      if (meter.isPresent() && !ModelList.answered(request, response, service.get())) {
        bounded(request, response, service.get(), meter.get());
      }
    }
  }

  private void bounded(
      HttpServletRequest request,
      HttpServletResponse response,
      GatedService service,
      CallMeter meter)
      throws IOException {
    if (request.getContentLengthLong() > settings.body().toBytes()) {
      tooLong(response, meter);
      return;
    }
    try {
      admitted(request, response, service, meter);
    } finally {
      meter.ends(false);
    }
  }

  private static String host(HttpServletRequest request) {
    return request.getServerName().toLowerCase(Locale.ROOT);
  }

  private void admitted(
      HttpServletRequest request,
      HttpServletResponse response,
      GatedService service,
      CallMeter meter)
      throws IOException {
    RequestBody body =
        new RequestBody(
            request.getInputStream(),
            request.getContentLengthLong(),
            settings.body().toBytes(),
            () -> clients.left(request));
    Optional<Place> entered = room.enter(host(request), body);
    if (entered.isEmpty()) {
      later(
          response,
          GateAnswers.TOO_MANY_REQUESTS,
          service,
          "Too many requests are waiting for a replica.");
      return;
    }
    try (Place place = entered.get()) {
      held(new Call(request, response, body, place, meter), service);
    } catch (InterruptedException stopped) {
      if (entered.get().left()) {
        meter.responds(CLIENT_LEFT, null);
        GateAnswers.answer(
            response, CLIENT_LEFT, "The client closed its side of the connection.", meter.keyed());
      } else {
        Thread.currentThread().interrupt();
        later(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, service, "It stops.");
      }
    } catch (IOException failed) {
      throw new CloseNowException("the response is incomplete", failed);
    }
  }

  /** A request that has a place. */
  private record Call(
      HttpServletRequest request,
      HttpServletResponse response,
      RequestBody body,
      Place place,
      CallMeter meter) {}

  private void held(Call call, GatedService found) throws IOException, InterruptedException {
    String host = found.state().route();
    Duration patience = found.patience(settings.longestWait());
    long end = System.nanoTime() + patience.toNanos();
    boolean again = false;
    while (true) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      Optional<GatedService> open = room.open(host, left, again);
      if (open.isEmpty() && room.find(host).isEmpty()) {
        unknown(call.response, call.meter);
        return;
      }
      if (open.isEmpty()) {
        later(
            call.response,
            HttpServletResponse.SC_SERVICE_UNAVAILABLE,
            found,
            "No replica became ready in time.");
        return;
      }
      if (!open.get().admits(found)) {
        later(
            call.response,
            HttpServletResponse.SC_SERVICE_UNAVAILABLE,
            found,
            "The service was replaced or began to require keys.");
        return;
      }
      Optional<GatedService.Target> target =
          open.get().target(ThreadLocalRandom.current().nextInt(PERCENT));
      if (target.isPresent() && forwarded(call, target.get())) {
        return;
      }
      again = true;
    }
  }

  /** Returns false if no replica took the connection, so that nothing was sent. */
  private boolean forwarded(Call call, GatedService.Target target)
      throws IOException, InterruptedException {
    HttpRequest sent;
    try {
      sent = sent(call, target.address());
    } catch (IllegalArgumentException malformed) {
      LOG.debug("a request is malformed", malformed);
      answer(call, HttpServletResponse.SC_BAD_REQUEST, "The request is malformed.");
      return true;
    }
    HttpResponse<InputStream> from;
    call.meter.forwarded(target.version(), call.body::count);
    try {
      from = client.send(sent, BodyHandlers.ofInputStream());
    } catch (ConnectException | HttpConnectTimeoutException | UnresolvedAddressException absent) {
      LOG.debug("no replica at {}", target.address(), absent);
      call.meter.absent();
      return false;
    } catch (HttpTimeoutException slow) {
      LOG.debug("no response from {}", target.address(), slow);
      call.meter.responds(HttpServletResponse.SC_GATEWAY_TIMEOUT, null);
      answer(call, HttpServletResponse.SC_GATEWAY_TIMEOUT, "The replica did not respond.");
      return true;
    } catch (IOException failed) {
      LOG.debug("a request failed at {}", target.address(), failed);
      if (call.body.tooLong()) {
        call.meter.responds(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE, null);
        tooLong(call.response, call.meter);
      } else {
        int status = HttpServletResponse.SC_BAD_GATEWAY;
        call.meter.responds(call.body.failed() ? CLIENT_LEFT : status, null);
        answer(call, status, "The replica broke the connection.");
      }
      return true;
    }
    pass(from, call);
    return true;
  }

  private HttpRequest sent(Call given, URI address) {
    HttpServletRequest request = given.request;
    String path = request.getRequestURI();
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("the request target has no path");
    }
    String query = request.getQueryString();
    HttpRequest.Builder call =
        HttpRequest.newBuilder(URI.create(address + path + (query == null ? "" : "?" + query)))
            .timeout(settings.longestAnswer())
            .method(request.getMethod(), publisher(request, given.body));
    SortedSet<String> ofConnection =
        GateHeaders.ofConnection(Collections.list(request.getHeaders("connection")));
    for (String name : Collections.list(request.getHeaderNames())) {
      for (String value : Collections.list(request.getHeaders(name))) {
        boolean readable = !given.meter.keyed() || !GateHeaders.compresses(name);
        if (readable && GateHeaders.reachesReplica(name, value, ofConnection)) {
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

  /** Closing the response of the replica ends its work when the client has disconnected. */
  private static void pass(HttpResponse<InputStream> from, Call call) throws IOException {
    HttpServletResponse to = call.response;
    call.meter.responds(from.statusCode(), from.headers().firstValue("content-type").orElse(null));
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
      for (int count = next(in, buffer, call); count >= 0; count = next(in, buffer, call)) {
        call.meter.passes(buffer, count);
        out.write(buffer, 0, count);
        out.flush();
      }
    }
  }

  private static int next(InputStream in, byte[] buffer, Call call) throws IOException {
    call.place.awaits(true);
    try {
      return in.read(buffer);
    } catch (IOException broken) {
      call.meter.ends(!call.place.left());
      throw broken;
    } finally {
      call.place.awaits(false);
    }
  }

  private static void unknown(HttpServletResponse response, CallMeter meter) throws IOException {
    GateAnswers.answer(
        response,
        HttpServletResponse.SC_NOT_FOUND,
        "No model service has this host name.",
        meter.keyed());
  }

  private void tooLong(HttpServletResponse response, CallMeter meter) throws IOException {
    GateAnswers.answer(
        response,
        HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
        "The body is longer than " + settings.body().toBytes() + " bytes.",
        meter.keyed());
  }

  private void later(HttpServletResponse response, int status, GatedService service, String detail)
      throws IOException {
    refused.increment();
    GateAnswers.retryAfter(response, service.startBudget().orElse(RETRY));
    GateAnswers.answer(response, status, detail + " Repeat the request later.", service.keyed());
  }

  private static void answer(Call call, int status, String detail) throws IOException {
    GateAnswers.answer(call.response, status, detail, call.meter.keyed());
  }
}
