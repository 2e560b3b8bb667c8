package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.FairleadApplication;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.RealTraefik;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * The gate as a separate process behind a real Traefik. A request passes Traefik, the gate and a
 * replica. The gate resolves Services by a file of hosts. Run by {@code make services}.
 */
@OnControlPlane
@Tag("long")
class ServiceGatewayIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** Start of a process without a class cache on a busy machine. */
  private static final Duration START = Duration.ofMinutes(5);

  private static final String GATE_ADDRESS = "10.99.7.7";
  private static final int PORT = 8080;
  private static final String VERSION = "X-Version";
  private static final int ROLLBACKS = 7;

  /** Longer than a gateway needs for a new route. */
  private static final Duration QUIET = Duration.ofSeconds(5);

  private static final EmbeddedDatabase DATABASE = MigratedDatabase.start();
  private static final CountDownLatch FIRST_EVENT = new CountDownLatch(1);
  private static final Map<String, String> HOSTS = new TreeMap<>();
  private static final Set<String> ANSWERED = new HashSet<>();
  private static TestCluster cluster;
  private static RunningFairlead fairlead;
  private static RealTraefik traefik;
  private static FakeApiServer metrics;
  private static Path hosts;
  private static int gatePort;
  private static Process gate;
  private static Path gateLog;

  @BeforeAll
  static void aGateBehindTraefik(@TempDir Path folder) throws IOException {
    cluster = KubernetesCluster.shared();
    cluster.nodes("gated", 1, 8, 1);
    traefik = new RealTraefik(cluster);
    RealTraefik.install(cluster, "gated", RealTraefik.CONTROLLER, traefik.port());
    cluster.applies("deploy/cluster-serving.yaml");
    metrics =
        new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, traefik.metrics()));
    hosts = folder.resolve("hosts");
    gateLog = folder.resolve("gate.log");
    resolves("localhost", "127.0.0.1");
    gatePort = LoopbackPorts.anyPort();
    traefik.adds(GATE_ADDRESS);
    cluster.apply(
        """
        apiVersion: v1
        kind: Service
        metadata: {namespace: fairlead-system, name: fairlead-gate}
        spec:
          ports: [{name: http, port: 80, targetPort: %1$d}]
        ---
        apiVersion: discovery.k8s.io/v1
        kind: EndpointSlice
        metadata:
          namespace: fairlead-system
          name: fairlead-gate-1
          labels: {kubernetes.io/service-name: fairlead-gate}
        addressType: IPv4
        ports: [{name: http, port: %1$d, protocol: TCP}]
        endpoints: [{addresses: [%2$s], conditions: {ready: true}}]
        """
            .formatted(gatePort, GATE_ADDRESS));
    String key = "--fairlead.key-file=" + RunningFairlead.keyFile();
    fairlead = RunningFairlead.startBehind(DATABASE, DATABASE.url(), key);
    TreeMap<String, Object> registration = new TreeMap<>();
    registration.put("name", "serving");
    registration.put("kubeconfig", cluster.kubeconfig());
    registration.put(
        "gateway",
        Map.of(
            "namespace",
            "gateways",
            "name",
            "gated",
            "metrics",
            Map.of("url", metrics.url("127.0.0.1") + "/metrics", "caData", metrics.caData()),
            "gate",
            Map.of("namespace", "fairlead-system", "name", "fairlead-gate", "port", 80)));
    String body = JsonMapper.builder().build().writeValueAsString(registration);
    Http.Answer answer = http().json("/api/v1/clusters", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  @AfterAll
  static void allEnds() {
    if (gate != null) {
      gate.destroyForcibly();
    }
    if (fairlead != null) {
      fairlead.close();
    }
    if (metrics != null) {
      metrics.close();
    }
    if (traefik != null) {
      traefik.close();
    }
    cluster.withdraws("deploy/cluster-serving.yaml");
  }

  private static Http http() {
    return fairlead.http();
  }

  private static void resolves(String name, String address) {
    HOSTS.put(name, address);
    StringBuilder text = new StringBuilder();
    HOSTS.forEach((host, at) -> text.append(at).append(' ').append(host).append('\n'));
    try {
      Files.writeString(hosts, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void gateRuns() throws IOException {
    if (gate == null) {
      startGate();
    }
  }

  private static void startGate() throws IOException {
    gate =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djdk.net.hosts.file=" + hosts,
                "-cp",
                System.getProperty("java.class.path"),
                FairleadApplication.class.getName(),
                "--fairlead.roles=gate",
                "--fairlead.gate.port=" + gatePort,
                "--server.port=0",
                "--management.server.port=0",
                "--spring.datasource.url=" + DATABASE.url(),
                "--spring.datasource.username=" + DATABASE.user(),
                "--spring.datasource.password=" + DATABASE.password())
            .redirectErrorStream(true)
            .redirectOutput(gateLog.toFile())
            .start();
    await()
        .atMost(START)
        .untilAsserted(
            () -> assertThat(Files.readString(gateLog)).contains("accepts requests on port"));
  }

  /**
   * Serves the pods of a service, and makes its version known to the gate. Returns whether one
   * runs.
   */
  private static boolean replicasAnswer(String service) {
    boolean served = false;
    String id = http().get(path(service)).json().get("id").asString();
    String bare = id.substring(id.indexOf('_') + 1);
    String namespace = http().namespace("default");
    for (Pod pod :
        cluster
            .admin()
            .pods()
            .inNamespace(namespace)
            .withLabel("fairlead.dev/service", bare)
            .list()
            .getItems()) {
      String address = pod.getStatus().getPodIP();
      boolean runs = pod.getMetadata().getDeletionTimestamp() == null;
      served |= address != null && runs;
      if (address != null && runs && ANSWERED.add(address)) {
        String version = pod.getMetadata().getLabels().get("fairlead.dev/service-version");
        traefik.answers(
            address,
            PORT,
            exchange -> {
              exchange.getResponseHeaders().add(VERSION, version);
              answer(exchange);
            });
        resolves("fl-%s-v%s.%s.svc".formatted(bare, version, namespace), address);
      }
    }
    return served;
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] _ = exchange.getRequestBody().readAllBytes();
      if (!exchange.getRequestURI().getPath().equals("/stream")) {
        byte[] body =
            "{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}"
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        return;
      }
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write("data: first\n\n".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      boolean passed = FIRST_EVENT.await(20, TimeUnit.SECONDS);
      exchange
          .getResponseBody()
          .write(
              ("data: " + (passed ? "last" : "held back") + "\n\n")
                  .getBytes(StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String path(String service) {
    return "/api/v1/projects/default/services/" + service;
  }

  private static void applied(String service, String settings) {
    applied(service, settings, "x");
  }

  private static void applied(String service, String settings, String image) {
    String body =
        "{route: %s.example, %s, job: {image: %s, gpu: 1}}".formatted(service, settings, image);
    Http.Answer put = http().send("PUT", path(service), body, "Content-Type", Http.YAML);
    assertThat(put.status()).as(put.body()).isEqualTo(200);
  }

  private static Socket sent(String service, String target, String... headers) throws IOException {
    Socket socket = new Socket("127.0.0.1", traefik.port());
    socket.setSoTimeout(60_000);
    String text =
        "POST %s HTTP/1.1\r\nHost: %s.example\r\nConnection: close\r\nContent-Length: 2\r\n%s\r\n{}"
            .formatted(
                target,
                service,
                String.join("", List.of(headers).stream().map(h -> h + "\r\n").toList()));
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  /** The response of a request through Traefik, empty if the connection fails. */
  private static String response(String service, String target, String... headers) {
    try (Socket socket = sent(service, target, headers)) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      return "";
    }
  }

  private static int status(String service, String... headers) {
    String response = response(service, "/v1/chat/completions", headers);
    return response.isEmpty() ? 0 : Integer.parseInt(response.split(" ", 3)[1]);
  }

  private static void ordered(String service, String order, int version) {
    Http.Answer answer = http().yaml(path(service) + order, "{version: " + version + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static boolean answers(String service, int version) {
    return response(service, "/v1/models").contains(VERSION + ": " + version + "\r\n");
  }

  private static void answered(String service, int version) {
    await("version " + version + " answers")
        .atMost(PATIENCE)
        .until(() -> replicasAnswer(service) && answers(service, version));
  }

  /** Milliseconds from the call to the end of the last response of another version. */
  private static double lastOldResponse(String service, int version) {
    long called = System.nanoTime();
    ordered(service, "/rollback", version);
    long last = called;
    for (long now = called; now - last < QUIET.toNanos(); now = System.nanoTime()) {
      if (!answers(service, version)) {
        last = System.nanoTime();
      }
      assertThat(Duration.ofNanos(now - called)).isLessThan(PATIENCE);
    }
    return (last - called) / 1e6;
  }

  private static String key(String name, String limits) {
    Http.Answer made = http().yaml(path("keyed") + "/keys", "{name: " + name + limits + "}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return "Authorization: Bearer " + made.json().get("key").asString();
  }

  /** Fails when a request without a key reaches a replica, or tokens and limits are not counted. */
  @Test
  void keysLimitsAndStreamsHoldThroughTheGateway() throws IOException {
    gateRuns();
    applied("keyed", "access: KEYS");
    String slow = key("slow", ", requestsPerMinute: 2");
    String app = key("app", "");
    await("a replica runs").atMost(PATIENCE).until(() -> replicasAnswer("keyed"));
    await("a request with a key is answered")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(status("keyed", app)).as(traefik.log()).isEqualTo(200));
    assertThat(status("keyed")).isEqualTo(401);
    assertThat(status("keyed", "Authorization: Bearer flk_" + "x".repeat(43))).isEqualTo(401);
    List<String> limited = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      limited.add(response("keyed", "/v1/chat/completions", slow));
    }
    assertThat(limited.subList(0, 2)).allMatch(each -> each.startsWith("HTTP/1.1 200"));
    assertThat(limited)
        .filteredOn(each -> each.startsWith("HTTP/1.1 429"))
        .isNotEmpty()
        .allMatch(each -> each.contains("Retry-After: "));

    try (Socket socket = sent("keyed", "/stream", app);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      List<String> events = new ArrayList<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("data: ")) {
          events.add(line);
          FIRST_EVENT.countDown();
        }
      }
      assertThat(events).containsExactly("data: first", "data: last");
    }
    await("tokens are counted")
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(http().get(path("keyed") + "/usage?period=MONTH").body())
                .contains("\"app\"")
                .containsPattern("\"promptTokens\":\\s*[1-9]"));
    killedAndStarted(app);
  }

  /** Fails when a gate that was killed does not serve again after its start. */
  private static void killedAndStarted(String app) throws IOException {
    gate.destroyForcibly();
    await().atMost(PATIENCE).until(() -> !gate.isAlive());
    assertThat(status("keyed", app)).isIn(0, 502, 503, 504);
    startGate();
    await("it serves again").atMost(PATIENCE).until(() -> status("keyed", app) == 200);
  }

  /**
   * Fails when a rollback to a warm version does not return the traffic. Requests follow one
   * another without a pause.
   */
  @Test
  void rollbackToAWarmVersionReturnsTheTraffic() {
    applied("back", "access: OPEN", "one");
    answered("back", 1);
    applied("back", "access: OPEN", "two");
    ordered("back", "/promote", 2);
    answered("back", 2);
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < ROLLBACKS; i++) {
      millis.add(lastOldResponse("back", i % 2 == 0 ? 1 : 2));
    }
    Collections.sort(millis);
    System.out.printf(
        "figure services: rollback call to the last response of the other version, warm, through"
            + " Traefik: %.0f ms in the median and %.0f ms at most of %d%n",
        millis.get(ROLLBACKS / 2), millis.getLast(), ROLLBACKS);
  }

  /** Fails when the first request to a service that sleeps is lost, or does not wake it. */
  @Test
  void requestToASleepingServiceWaitsAtTheGateUntilAReplicaIsReady() throws IOException {
    gateRuns();
    applied("parked", "minReplicas: 0, idleAfter: 2m");
    await("a replica runs").atMost(PATIENCE).until(() -> replicasAnswer("parked"));
    await("it serves")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(status("parked")).as(traefik.log()).isEqualTo(200));
    await("it sleeps")
        .atMost(Duration.ofMinutes(6))
        .until(() ->
            http().get(path("parked")).json().at("/idle/phase").asString("").equals("SLEEPING")
                && http().get(path("parked")).json().get("replicas").isEmpty());

    long began = System.nanoTime();
    CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> status("parked"));
    await("the request is answered")
        .atMost(PATIENCE)
        .until(() -> replicasAnswer("parked") && first.isDone());
    double seconds = (System.nanoTime() - began) / 1e9;
    assertThat(first.join()).as(traefik.log()).isEqualTo(200);
    System.out.printf(
        "figure services: a request to a service at zero replicas was answered after %.1f s through"
            + " Traefik and the gate%n",
        seconds);
  }
}
