package dev.fairlead.work.serving.gate;

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
import dev.fairlead.work.serving.traffic.RouteOptions;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.util.unit.DataSize;

/** The gate in front of a real HTTP server, with clients that speak HTTP over sockets. */
abstract class GateScene {
  static final String HOST = "chat.example";
  static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  static final int LONGEST_BODY = 1000;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  final AtomicReference<String> seen = new AtomicReference<>();
  final AtomicInteger calls = new AtomicInteger();
  final Counter refused = new SimpleMeterRegistry().counter("refused");
  private HttpServer replica;
  URI address;
  WaitingRoom room;
  UUID service = new UUID(1, 1);
  ModelService.Access access = ModelService.Access.OPEN;
  KeyRing ring;
  UsageMemory memory = new UsageMemory(UsageMemory.MOST);
  final Counter unread = new SimpleMeterRegistry().counter("unread");

  /** Creation time of the model of an OpenAI-compatible server. */
  Instant modelSince;

  KeyMeter meter;
  volatile Duration sinceStart = Duration.ZERO;
  private GateServer gate;

  /** Behaviour of a replica. */
  interface Answer {
    void to(HttpExchange exchange) throws IOException, InterruptedException;
  }

  @BeforeEach
  void aReplicaAndAGate() throws IOException {
    replica = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    replica.setExecutor(threads);
    replica.start();
    address = URI.create("http://127.0.0.1:" + replica.getAddress().getPort());
    answers(GateScene::echo);
    opens(4, Duration.ofSeconds(30), Duration.ofSeconds(10));
  }

  @AfterEach
  void stops() {
    gate.close();
    replica.stop(0);
    threads.shutdownNow();
  }

  void opens(int ofService, Duration wait, Duration silence) {
    opens(ofService, wait, silence, Duration.ofMinutes(5));
  }

  void opens(int ofService, Duration wait, Duration silence, Duration streamIdle) {
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
            silence,
            streamIdle,
            Duration.ofMinutes(15));
    room = new WaitingRoom(settings);
    HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(threads).build();
    ClientConnections clients = new ClientConnections();
    ring = new KeyRing(settings.keysWithoutDatabase(), () -> sinceStart.toNanos());
    meter = new KeyMeter(new UUID(1, 9));
    KeyGuard guard =
        new KeyGuard(ring, meter, memory, unread, this::now, () -> sinceStart.toNanos());
    GateServlet servlet = new GateServlet(room, guard, settings, client, refused, clients);
    gate = new GateServer(settings, servlet, clients, room);
    sleeps();
  }

  Instant now() {
    return NOW.plus(sinceStart);
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

  void answersOnly(Answer answer) {
    replica.removeContext("/");
    answers(answer);
  }

  /** Streams a response until the call ends. Returns a latch that opens at the end. */
  CountDownLatch answersWithoutEnd() {
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
    return ended;
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

  private GatedService service(Phase phase, Map<Integer, Integer> weights) {
    ModelServiceId id = new ModelServiceId(this.service);
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
            Duration.ofMinutes(15),
            access,
            null,
            List.of(),
            RouteOptions.NONE);
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
            idle,
            new TreeMap<>());
    SortedMap<Integer, URI> addresses = new TreeMap<>();
    weights.keySet().forEach(version -> addresses.put(version, address));
    return new GatedService(settings, state, addresses, modelSince);
  }

  private void update(GatedService service) {
    SortedMap<String, GatedService> all = new TreeMap<>();
    all.put(HOST, service);
    room.update(all);
  }

  void sleeps() {
    update(service(Phase.SLEEPING, Map.of()));
  }

  void isReady() {
    update(service(Phase.AWAKE, Map.of(1, 100)));
  }

  Socket connected() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), gate.port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
  }

  static String request(String line, String headers, String body) {
    return "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n%s"
        .formatted(line, HOST, headers, body);
  }

  static String post(String body) {
    return request("POST /v1/chat?n=%20x", "Content-Length: " + body.length() + "\r\n", body);
  }

  /** Sends the request and reads until the gate closes the connection. */
  String answer(String request) {
    try (Socket socket = connected()) {
      send(socket, request);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  CompletableFuture<String> later(String request) {
    return CompletableFuture.supplyAsync(() -> answer(request), threads);
  }

  void inside(int requests) {
    await().atMost(Duration.ofSeconds(10)).until(() -> room.requests() == requests);
  }
}
