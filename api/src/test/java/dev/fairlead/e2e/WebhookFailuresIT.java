package dev.fairlead.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.kernel.egress.FakeHttps;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Real receivers that fail in twelve ways. All but one get each event in order in the end. */
@Tag("long")
class WebhookFailuresIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String PROJECT = "twelve-ways";
  private static final FakeHttps.Answer OK = (exchange, n) -> status(exchange, 204);
  private static final FakeHttps INSIDE = new FakeHttps(OK);
  private static final CountDownLatch END = new CountDownLatch(1);
  private static final Map<String, Receiver> RECEIVERS = new LinkedHashMap<>();

  /**
   * The arrival of an event, and whether the receiver accepted it, which the sender may not know.
   */
  private record Call(String id, String job, AtomicBoolean accepted) {}

  private static final class Receiver {
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final FakeHttps server;

    /**
     * @param how answers, or closes the exchange after it has accepted the event
     */
    Receiver(FakeHttps.Answer how) {
      server =
          new FakeHttps((exchange, n) -> {
            JsonNode event =
                JsonMapper.builder()
                    .build()
                    .readTree(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            String id = exchange.getRequestHeaders().getFirst("webhook-id");
            Call call = new Call(id, event.at("/subject/id").asString(), new AtomicBoolean());
            calls.add(call); // before the response, after which the next event may arrive
            how.to(exchange, n);
            int status = exchange.getResponseCode();
            call.accepted().set(status == -1 || status / 100 == 2);
          });
    }

    List<Call> accepted() {
      return calls.stream().filter(call -> call.accepted().get()).toList();
    }

    String url() {
      return server.url().replace("cluster.example", "127.0.0.1") + "/hook";
    }

    /** Ids of the events of a job in the order of their first arrival. */
    List<String> of(String job) {
      return accepted().stream()
          .filter(call -> call.job().equals(job))
          .map(Call::id)
          .distinct()
          .toList();
    }
  }

  private static void status(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
  }

  /** Fails the first calls, and accepts the others. */
  private static void receiver(String name, int failures, FakeHttps.Answer how) {
    RECEIVERS.put(name, new Receiver((exchange, n) -> (n < failures ? how : OK).to(exchange, n)));
  }

  private static void waits(long seconds) {
    try {
      boolean _ = END.await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pours(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    byte[] piece = new byte[1 << 16];
    try (OutputStream out = exchange.getResponseBody()) {
      for (int i = 0; i < 1 << 16; i++) { // 4 GiB
        out.write(piece);
      }
    } catch (IOException closed) {
      // the sender has read enough
    }
  }

  @BeforeAll
  static void twelveReceiversAndACluster() {
    receiver(
        "slow",
        1,
        (exchange, n) -> {
          waits(3);
          status(exchange, 200);
        });
    receiver("errors", 1, (exchange, n) -> status(exchange, 500));
    receiver(
        "redirects",
        1,
        (exchange, n) -> {
          String inside = INSIDE.url().replace("cluster.example", "127.0.0.1");
          exchange.getResponseHeaders().set("Location", inside + "/latest/meta-data/");
          status(exchange, 307);
        });
    receiver("unknown-authority", 0, OK);
    receiver(
        "closes-halfway",
        1,
        (exchange, n) -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write(new byte[3]);
          exchange.getResponseBody().flush();
        });
    receiver("loses-answers", 1, (exchange, n) -> exchange.close());
    receiver(
        "refuses-the-first",
        1,
        (exchange, n) -> {
          exchange.getResponseHeaders().set("Retry-After", "6");
          status(exchange, 503);
        });
    receiver("gone", Integer.MAX_VALUE, (exchange, n) -> status(exchange, 410));
    receiver("pours", 1, (exchange, n) -> pours(exchange));
    receiver("never-answers", 1, (exchange, n) -> waits(PATIENCE.toSeconds()));
    Set<String> refused = ConcurrentHashMap.newKeySet();
    RECEIVERS.put(
        "flaps",
        new Receiver((exchange, n) -> {
          String event = exchange.getRequestHeaders().getFirst("webhook-id");
          /* Each event at most once: the third wait for the same event is longer than the patience. */
          boolean fails = n % 3 == 0 && refused.add(event);
          status(exchange, fails ? 500 : 204);
        }));
    RECEIVERS.put("moves", new Receiver((exchange, n) -> status(exchange, 404)));
    String cluster =
        "{name: twelve-ways, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: A10}]}";
    assertThat(HTTP.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
    String project = "{name: %s, defaultQueue: default}".formatted(PROJECT);
    assertThat(HTTP.yaml("/api/v1/projects", project).status()).isEqualTo(201);
  }

  @AfterAll
  static void close() {
    END.countDown();
    RECEIVERS.keySet().forEach(name -> HTTP.send("DELETE", hook(name), null));
    RECEIVERS.values().forEach(receiver -> receiver.server.close());
    INSIDE.close();
  }

  private static String hook(String name) {
    return "/api/v1/webhooks/" + name + "?project=" + PROJECT;
  }

  private static void put(String name, Receiver receiver, boolean trusted) {
    String ca = trusted ? ", caData: " + receiver.server.caData() : "";
    String body = "{url: '%s'%s}".formatted(receiver.url(), ca);
    Http.Answer answer = HTTP.send("PUT", hook(name), body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static String submitted(String name) {
    String spec =
        ("{name: %s, image: x, gpu: 1, placement: {clusters: [twelve-ways]},"
                + " annotations: {sim.fairlead.dev/run-for: 1s}}")
            .formatted(name);
    Http.Answer answer = HTTP.yaml("/api/v1/projects/" + PROJECT + "/jobs", spec);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.json().get("id").asString();
  }

  private static boolean succeeded(String job) {
    return HTTP.get("/api/v1/jobs/" + job).json().path("state").asString("").equals("SUCCEEDED");
  }

  private static List<String> inLog(String job) {
    return HTTP.get("/api/v1/jobs/" + job + "/events?pageSize=500")
        .json()
        .get("items")
        .valueStream()
        .map(each -> each.get("id").asString())
        .toList();
  }

  private static String deliveries(String name) {
    return HTTP.get(hook(name).replace("?", "/deliveries?")).body();
  }

  /**
   * Fails when a receiver misses an event or gets it out of order, or when a redirect is followed.
   */
  @Test
  void eachReceiverEventuallyGetsEachEventInOrder() {
    RECEIVERS.forEach((name, receiver) -> put(name, receiver, !name.equals("unknown-authority")));
    List<String> jobs = List.of(submitted("one"), submitted("two"));

    await().atMost(PATIENCE).until(() -> deliveries("unknown-authority").contains("PKIX"));
    assertThat(RECEIVERS.get("unknown-authority").server.requests()).isEmpty();
    put("unknown-authority", RECEIVERS.get("unknown-authority"), true);
    await().atMost(PATIENCE).until(() -> deliveries("moves").contains("404"));
    RECEIVERS.get("moves").server.close();
    RECEIVERS.put("moves", new Receiver(OK));
    put("moves", RECEIVERS.get("moves"), true);

    await().atMost(PATIENCE).until(() -> jobs.stream().allMatch(WebhookFailuresIT::succeeded));
    Map<String, Receiver> living = new LinkedHashMap<>(RECEIVERS);
    Receiver gone = living.remove("gone");
    for (String job : jobs) {
      List<String> events = inLog(job);
      living.forEach((name, receiver) -> {
        await(name).atMost(PATIENCE).until(() -> receiver.of(job).size() >= events.size());
        assertThat(receiver.of(job)).as(name).startsWith(events.toArray(String[]::new));
      });
    }
    assertThat(INSIDE.requests()).isEmpty();
    assertThat(gone.accepted()).isEmpty();
    assertThat(HTTP.get(hook("gone")).body()).contains("DISABLED", "410");
    List<String> repeated =
        RECEIVERS.get("loses-answers").accepted().stream().map(Call::id).toList();
    assertThat(repeated).hasSizeGreaterThan((int) repeated.stream().distinct().count());
  }
}
