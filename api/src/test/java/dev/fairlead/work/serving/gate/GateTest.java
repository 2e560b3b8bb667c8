package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.Idleness;
import dev.fairlead.work.serving.Idleness.Phase;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.service.GatedService;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** The gate in front of a real HTTP server, with clients that speak HTTP over sockets. */
class GateTest {
  private static final String HOST = "chat.example";
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final int LONGEST_BODY = 1000;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicReference<String> seen = new AtomicReference<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final Counter refused = new SimpleMeterRegistry().counter("refused");
  private HttpServer replica;
  private URI address;
  private WaitingRoom room;
  private GateServer gate;

  /** What a replica does. */
  private interface Answer {
    void to(HttpExchange exchange) throws IOException, InterruptedException;
  }

  @BeforeEach
  void aReplicaAndAGate() throws IOException {
    replica = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    replica.setExecutor(threads);
    replica.start();
    address = URI.create("http://127.0.0.1:" + replica.getAddress().getPort());
    answers(GateTest::echo);
    opens(4, Duration.ofSeconds(30), Duration.ofSeconds(10));
  }

  @AfterEach
  void stops() {
    gate.close();
    replica.stop(0);
    threads.shutdownNow();
  }

  private void opens(int ofService, Duration wait, Duration silence) {
    if (gate != null) {
      gate.close();
    }
    GateSettings settings =
        new GateSettings(
            0,
            100,
            ofService,
            wait,
            Duration.ofSeconds(30),
            DataSize.ofBytes(LONGEST_BODY),
            silence);
    room = new WaitingRoom(settings);
    HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(threads).build();
    gate =
        new GateServer(
            settings,
            new GateServlet(
                room, settings, client, refused, (service, version) -> Optional.of(address)));
    sleeps();
  }

  private void answers(Answer answer) {
    replica.createContext(
        "/",
        exchange -> {
          calls.incrementAndGet();
          try (exchange) {
            answer.to(exchange);
          } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void answersOnly(Answer answer) {
    replica.removeContext("/");
    answers(answer);
  }

  private static void echo(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    byte[] told =
        "%s %s %s"
            .formatted(exchange.getRequestMethod(), exchange.getRequestURI(), body)
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("X-Model", "gemma");
    exchange.getResponseHeaders().add("Keep-Alive", "timeout=1");
    exchange.sendResponseHeaders(201, told.length);
    exchange.getResponseBody().write(told);
  }

  private static GatedService service(Phase phase, Map<Integer, Integer> weights) {
    ModelServiceId id = new ModelServiceId(new UUID(1, 1));
    ModelService settings =
        new ModelService(
            id,
            "chat",
            "nlp",
            HOST,
            0,
            2,
            List.of(100),
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            null,
            List.of(),
            Duration.ofMinutes(15));
    Idleness idle =
        new Idleness(phase, NOW, NOW, 0, NOW, List.of(Duration.ofSeconds(60)), "a test");
    ServiceState state =
        new ServiceState(
            id,
            new TenantId(new UUID(1, 2)),
            "prj/chat",
            HOST,
            1,
            1,
            null,
            null,
            new TreeMap<>(weights),
            List.of(),
            false,
            1,
            null,
            idle);
    return new GatedService(settings, state);
  }

  private void update(GatedService service) {
    SortedMap<String, GatedService> all = new TreeMap<>();
    all.put(HOST, service);
    room.update(all);
  }

  private void sleeps() {
    update(service(Phase.SLEEPING, Map.of()));
  }

  private void isReady() {
    update(service(Phase.AWAKE, Map.of(1, 100)));
  }

  private Socket connected() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), gate.port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
  }

  private static String request(String line, String headers, String body) {
    return "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n%s"
        .formatted(line, HOST, headers, body);
  }

  private static String post(String body) {
    return request("POST /v1/chat?n=%20x", "Content-Length: " + body.length() + "\r\n", body);
  }

  /** Sends the request and reads until the gate closes the connection. */
  private String answer(String request) {
    try (Socket socket = connected()) {
      send(socket, request);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private CompletableFuture<String> later(String request) {
    return CompletableFuture.supplyAsync(() -> answer(request), threads);
  }

  private void inside(int requests) {
    await().atMost(Duration.ofSeconds(10)).until(() -> room.requests() == requests);
  }

  @Test
  void aRequestWaitsUntilAReplicaIsReady() throws Exception {
    CompletableFuture<String> answer = later(post("hello"));
    inside(1);
    sleeps();
    assertThat(calls).hasValue(0);
    assertThat(room.hosts()).containsExactly(HOST);
    isReady();
    assertThat(answer.get(10, TimeUnit.SECONDS))
        .startsWith("HTTP/1.1 201")
        .endsWith("POST /v1/chat?n=%20x hello");
    inside(0);
  }

  @Test
  void withAReplicaNothingWaits() {
    isReady();
    assertThat(answer(request("GET /v1/models", "", ""))).contains("201", "GET /v1/models");
  }

  /** Fails when a request is lost because the address has no replica yet. */
  @Test
  void aRequestThatFindsNoReplicaWaitsAgain() throws Exception {
    URI real = address;
    try (ServerSocket free = new ServerSocket(0)) {
      address = URI.create("http://127.0.0.1:" + free.getLocalPort());
    }
    isReady();
    CompletableFuture<String> answer = later(post("hello"));
    inside(1);
    address = real;
    while (!answer.isDone()) {
      isReady();
      Thread.onSpinWait();
    }
    assertThat(answer.get()).startsWith("HTTP/1.1 201").endsWith("hello");
    assertThat(calls).hasValue(1);
  }

  /** Fails when the gate collects a response before it passes it on. */
  @Test
  void eventsReachTheClientAsTheyAreSent() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    answersOnly(exchange -> {
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write("data: one\n\n".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      read.await();
      exchange.getResponseBody().write("data: two\n\n".getBytes(StandardCharsets.UTF_8));
    });
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      InputStream in = socket.getInputStream();
      StringBuilder text = new StringBuilder();
      while (text.indexOf("data: one") < 0) {
        text.append((char) in.read());
      }
      assertThat(text).doesNotContain("two").contains("text/event-stream");
      read.countDown();
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).contains("data: two");
    }
  }

  /** Fails when a replica continues to compute for a client that has left. */
  @Test
  void aClientThatLeavesEndsTheCallOfTheReplica() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    answersOnly(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      try {
        while (true) {
          exchange.getResponseBody().write(new byte[4096]);
          exchange.getResponseBody().flush();
        }
      } catch (IOException broken) {
        ended.countDown();
      }
    });
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    inside(0);
  }

  /** Fails when a response that breaks off looks complete. */
  @Test
  void aResponseThatBreaksOffIsNotEndedByTheGate() {
    answersOnly(exchange -> {
      exchange.sendResponseHeaders(200, 100);
      exchange.getResponseBody().write("half".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      throw new IOException("the replica dies");
    });
    isReady();
    String answer = answer(post("hello"));
    assertThat(answer).contains("Content-Length: 100").endsWith("half");
    inside(0);
  }

  @Test
  void aFullGateRefusesWithATime() throws Exception {
    List<CompletableFuture<String>> waiting =
        List.of(later(post("a")), later(post("b")), later(post("c")), later(post("d")));
    inside(4);
    assertThat(answer(post("e"))).startsWith("HTTP/1.1 429").contains("Retry-After: 91");
    assertThat(refused.count()).isEqualTo(1);
    isReady();
    for (CompletableFuture<String> each : waiting) {
      assertThat(each.get(10, TimeUnit.SECONDS)).startsWith("HTTP/1.1 201");
    }
    inside(0);
    assertThat(answer(post("f"))).startsWith("HTTP/1.1 201");
  }

  @Test
  void aRequestThatWaitedTooLongGetsATime() {
    opens(4, Duration.ofMillis(100), Duration.ofSeconds(10));
    assertThat(answer(post("hello"))).startsWith("HTTP/1.1 503").contains("Retry-After: 91");
    assertThat(calls).hasValue(0);
    inside(0);
  }

  /** Fails when a stop of the gate leaves a client without a response. */
  @Test
  void aGateThatStopsAnswersWhatWaits() throws Exception {
    CompletableFuture<String> answer = later(post("hello"));
    inside(1);
    room.close(Duration.ofSeconds(5));
    assertThat(answer.get(10, TimeUnit.SECONDS)).startsWith("HTTP/1.1 503");
    assertThat(answer(post("later"))).startsWith("HTTP/1.1 429");
  }

  /** Fails when headers of one connection, or a credential of Fairlead, reach a replica. */
  @Test
  void onlyTheHeadersOfTheRequestReachTheReplica() {
    answersOnly(exchange -> {
      seen.set(exchange.getRequestHeaders().toString());
      exchange.sendResponseHeaders(204, -1);
    });
    isReady();
    String answer =
        answer(
            request(
                "GET /",
                """
                X-Own: yes\r
                X-Hop: 1\r
                Connection: X-Hop\r
                Proxy-Authorization: Basic eA==\r
                TE: trailers\r
                Upgrade: websocket\r
                X-Forwarded-Host: evil.example\r
                Authorization: Bearer fl_0123456789\r
                Authorization: Bearer sk-of-the-model\r
                """,
                ""));
    assertThat(answer).startsWith("HTTP/1.1 204");
    assertThat(seen.get())
        .contains("X-own=[yes]", "sk-of-the-model", "X-forwarded-host=[chat.example]")
        .doesNotContain("evil", "fl_0123456789", "X-hop", "Proxy-", "trailers", "websocket");
  }

  /** Fails when a client chooses where the gate connects to. */
  @Test
  void noPartOfARequestChoosesTheReplica() throws Exception {
    isReady();
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      other.setSoTimeout(200);
      String foreign = "http://127.0.0.1:" + other.getLocalPort() + "/";
      assertThat(answer(request("GET " + foreign, "", ""))).startsWith("HTTP/1.1 40");
      assertThat(answer(request("OPTIONS *", "", ""))).startsWith("HTTP/1.1 200");
      assertThat(calls).hasValue(0);
      assertThat(answer(request("GET //127.0.0.1:" + other.getLocalPort() + "/", "", "")))
          .startsWith("HTTP/1.1 201");
      assertThat(answer(request("GET /@" + "127.0.0.1:" + other.getLocalPort(), "", "")))
          .startsWith("HTTP/1.1 201");
      assertThat(answer(post("").replace(HOST, "other.example"))).startsWith("HTTP/1.1 404");
      assertThatThrownBy(other::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void aBodyIsLimitedWithAndWithoutALength() {
    isReady();
    assertThat(answer(post("x".repeat(LONGEST_BODY + 1)))).startsWith("HTTP/1.1 413");
    assertThat(calls).hasValue(0);
    String chunk = "x".repeat(LONGEST_BODY / 2);
    String chunks = "%x\r\n%s\r\n".formatted(chunk.length(), chunk).repeat(3) + "0\r\n\r\n";
    String chunked = request("POST /", "Transfer-Encoding: chunked\r\n", chunks);
    assertThat(answer(chunked)).startsWith("HTTP/1.1 413");
    assertThat(answer(post("x".repeat(LONGEST_BODY)))).startsWith("HTTP/1.1 201");
    inside(0);
  }

  /** Fails when a client that stops sending holds its place for ever. */
  @Test
  void aClientThatStopsSendingLosesItsPlace() throws Exception {
    opens(4, Duration.ofSeconds(30), Duration.ofMillis(200));
    isReady();
    try (Socket socket = connected()) {
      send(socket, request("POST /", "Content-Length: 100\r\n", "half"));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 408")
          .doesNotContain("Tomcat/", "Exception");
      inside(0);
    }
  }

  /** Fails when a client that reads nothing holds its place and its replica for ever. */
  @Test
  void aClientThatReadsNothingLosesItsPlace() throws Exception {
    opens(4, Duration.ofSeconds(30), Duration.ofMillis(200));
    CountDownLatch ended = new CountDownLatch(1);
    answersOnly(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      try {
        while (true) {
          exchange.getResponseBody().write(new byte[65536]);
        }
      } catch (IOException broken) {
        ended.countDown();
      }
    });
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
      inside(0);
    }
  }
}
