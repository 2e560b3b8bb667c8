package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static dev.fairlead.work.workload.kubernetes.LyingApiServer.list;
import static dev.fairlead.work.workload.kubernetes.LyingApiServer.node;
import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clusters that answer nonsense. Responses are bounded in size and time, and errors name the
 * cluster and the action to take.
 */
class LyingApiServerTest {
  private static final Duration CALL = Duration.ofSeconds(20);
  private static final Duration NEVER = Duration.ofMinutes(10);
  private static final WorkloadAction RETIRE =
      new WorkloadAction.Retire(
          new AttemptId(new UUID(3, 3)), "fairlead-x", List.of(), new TreeSet<>());

  @Test
  void correctAnswersAreAccepted() {
    LyingApiServer server =
        new LyingApiServer()
            .lies("list nodes", e -> FakeApiServer.send(e, 200, list("", node("n1"))));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      eventually(
          "it is seen", () -> gateway.contact().synced() && gateway.contact().trouble() == null);
      assertThat(gateway.inventory().nodes()).extracting(NodeReport::name).containsExactly("n1");
      assertThat(gateway.apply(RETIRE)).isInstanceOf(ActionOutcome.Done.class);
    }
  }

  /** Fails when a token is returned that its own cluster does not know. */
  @Test
  void rejectedNewTokenIsNotUsed() throws IOException {
    AccountToken used =
        new AccountToken("fairlead-system", "fairlead", Instant.EPOCH, Instant.EPOCH);
    AtomicInteger code = new AtomicInteger(401);
    LyingApiServer server =
        new LyingApiServer()
            .lies(
                "list token",
                e -> FakeApiServer.send(e, 201, "{\"status\":{\"token\":\"the-new-one\"}}"))
            .lies(
                "list nodes",
                e -> {
                  boolean fresh =
                      "Bearer the-new-one".equals(e.getRequestHeaders().getFirst("Authorization"));
                  if (fresh) {
                    FakeApiServer.send(e, code.get(), FakeApiServer.status(code.get(), "Told"));
                  } else {
                    FakeApiServer.send(e, 200, list("", ""));
                  }
                });
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      eventually("it is seen", () -> gateway.contact().synced());
      assertThatThrownBy(() -> gateway.newToken(used))
          .isInstanceOf(IOException.class)
          .satisfies(problem("lying-api-server.new-one-tried-http", "HTTP", 401));
      code.set(403);
      assertThat(gateway.newToken(used)).as("it is known").isEqualTo(new Secret("the-new-one"));
    }
  }

  /** Fails when a cluster with open watches counts as responding. */
  @Test
  void frozenClusterIsSilentBeforeItsCallsTimeOut() {
    LyingApiServer server = new LyingApiServer();
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofMinutes(5), NEVER)) {
      eventually(
          "it is seen", () -> gateway.contact().synced() && gateway.contact().silentMillis() == 0);
      server.lies("version", e -> server.hang());
      eventually("it is silent", () -> gateway.contact().silentMillis() >= 4000);
      assertThat(gateway.contact().trouble()).isNull();
    }
  }

  /** Fails when the health of a cluster is not probed while its DaemonSets are listed. */
  @Test
  void slowGpuStackListDoesNotBlockTheCluster() {
    LyingApiServer server = new LyingApiServer();
    server.lies("list daemonsets", e -> server.hang());
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofMinutes(5), NEVER)) {
      eventually("they are listed", () -> asked(server, "/daemonsets") > 0);
      long before = asked(server, "/version");
      eventually("it is asked on", () -> asked(server, "/version") > before + 3);
      assertThat(gateway.contact().trouble()).isNull();
      assertThat(gateway.capabilities().gpuStack()).isEmpty();
    }
  }

  private static long asked(LyingApiServer server, String path) {
    return server.requests().stream().filter(request -> request.contains(path)).count();
  }

  @Test
  void listWithoutItsLastPageTimesOut() {
    LyingApiServer server =
        new LyingApiServer()
            .lies("list nodes", e -> FakeApiServer.send(e, 200, list("more", node("n1"))));
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofSeconds(5), NEVER)) {
      tells(gateway, "its lists have not completed yet");
      assertThat(gateway.contact().synced()).isFalse();
    }
  }

  @Test
  void listBeyondTheObjectLimitIsNotReadToItsEnd() {
    AtomicInteger page = new AtomicInteger();
    LyingApiServer server =
        new LyingApiServer().lies("list nodes", e -> FakeApiServer.send(e, 200, manyNodes(page)));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      tells(gateway, "more than 20000 objects of kind Node");
      assertThat(gateway.inventory().nodes()).hasSizeLessThanOrEqualTo(20_000);
    }
  }

  /**
   * Fails when the silence timeout runs until the watches are open: a long list would never finish.
   */
  @Test
  void firstListSlowerThanTheSilenceLimitIsReadToItsEnd() {
    LyingApiServer server = new LyingApiServer().lies("list nodes", LyingApiServerTest::slowPage);
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, Duration.ofSeconds(3))) {
      eventually("all is read", () -> gateway.contact().synced());
      assertThat(gateway.inventory().nodes()).hasSize(20);
    }
  }

  private static void slowPage(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getQuery();
    int page =
        query.contains("continue=p")
            ? Integer.parseInt(query.replaceAll(".*continue=p([0-9]+).*", "$1"))
            : 1;
    RealCluster.pause(Duration.ofMillis(200));
    FakeApiServer.send(exchange, 200, list(page < 20 ? "p" + (page + 1) : "", node("n" + page)));
  }

  private static String manyNodes(AtomicInteger page) {
    int from = page.getAndIncrement() * 5_000;
    return list(
        "more",
        IntStream.range(from, from + 5_000)
            .mapToObj(i -> "{\"metadata\":{\"name\":\"n" + i + "\"}}")
            .collect(Collectors.joining(",")));
  }

  @Test
  void endlessResponseIsCutOff() {
    LyingApiServer server =
        new LyingApiServer().lies("list pods", e -> endless(e, "{\"items\":[\"", 'x'));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      // Without AnswerGuard this fills the heap. The encryption of the whole response sometimes
      // takes half a minute.
      tells(Duration.ofMinutes(5), gateway, "/api/v1/pods sends more than 64 MiB in one answer");
    }
  }

  /** Fails when the answer to a single call closes its cluster to all callers. */
  @Test
  void oversizedResponseFailsOnlyItsCall() {
    LyingApiServer server = new LyingApiServer();
    server.lies(
        "list pods",
        e -> {
          if (e.getRequestURI().getPath().contains("/namespaces/")) {
            endless(e, "{\"items\":[\"", 'x');
          } else {
            FakeApiServer.send(e, 200, list("", ""));
          }
        });
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofMinutes(5), NEVER)) {
      eventually(
          "it is seen", () -> gateway.contact().synced() && gateway.contact().trouble() == null);
      List<MemberKey> many =
          IntStream.range(0, 9).mapToObj(i -> new MemberKey("worker", i, 0)).toList();
      ActionOutcome outcome =
          gateway.apply(
              new WorkloadAction.Retire(
                  new AttemptId(new UUID(3, 3)), "fairlead-x", many, new TreeSet<>()));
      assertThat(outcome)
          .isInstanceOfSatisfying(
              ActionOutcome.Unavailable.class,
              it ->
                  assertThat(it.message())
                      .satisfies(reason("lying-api-server.sends-more-mib-one", 64, "MiB")));
      long before = asked(server, "/version");
      eventually("it is probed", () -> asked(server, "/version") >= before + 2);
      assertThat(gateway.contact().trouble()).isNull();
    }
  }

  /** Fails when a single oversized event leaves a cluster in trouble forever. */
  @Test
  void reopenedWatchIsNotAFault() {
    AtomicInteger watches = new AtomicInteger();
    LyingApiServer server = new LyingApiServer();
    server.lies(
        "watch nodes",
        e -> {
          if (watches.getAndIncrement() == 0) {
            endless(e, "{", 'x');
          } else {
            bookmarks(e, "Node", new AtomicInteger());
          }
        });
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      eventually("it is watched again", () -> watches.get() > 1);
      eventually(
          "it is seen", () -> gateway.contact().synced() && gateway.contact().trouble() == null);
    }
  }

  @Test
  void endlessEventIsCutOff() {
    LyingApiServer server = new LyingApiServer().lies("watch nodes", e -> endless(e, "{", 'x'));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      tells(gateway, "/api/v1/nodes sends more than 16 MiB in one event");
    }
  }

  private static void endless(HttpExchange exchange, String begin, char rest) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    exchange.getResponseBody().write(begin.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    byte[] part = new byte[1 << 16];
    java.util.Arrays.fill(part, (byte) rest);
    // Far beyond the bound, so that a client without a bound is detected and the test still ends.
    for (int i = 0; i < 1 << 14; i++) {
      exchange.getResponseBody().write(part);
    }
  }

  @Test
  void serverWithoutAKubernetesApiIsReported() {
    LyingApiServer server =
        new LyingApiServer().lies("all", e -> FakeApiServer.send(e, 200, "<html>welcome</html>"));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      tells(gateway, "no answer");
      assertThat(gateway.contact().synced()).isFalse();
    }
  }

  @Test
  void apiWithoutTheRequestedVersionsIsReported() {
    LyingApiServer server =
        new LyingApiServer()
            .lies(
                "list nodes",
                e -> FakeApiServer.send(e, 404, FakeApiServer.status(404, "NotFound")));
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofMillis(500), NEVER)) {
      tells(gateway, "check that this is the address of a Kubernetes API server");
    }
  }

  @Test
  void rejectedCredentialsAreReportedWithTheNextStep() {
    LyingApiServer server =
        new LyingApiServer()
            .lies(
                "all", e -> FakeApiServer.send(e, 401, FakeApiServer.status(401, "Unauthorized")));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      tells(gateway, "set new ones by PATCH of its connection");
    }
  }

  @Test
  void expiredCertificateIsReportedWithTheNextStep(@TempDir Path directory) {
    LyingApiServer server = new LyingApiServer(ExpiredIdentity.make(directory));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      tells(gateway, "the certificate of its API server has expired: renew it there");
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void retryAfterOfAClusterIsRespected() {
    LyingApiServer server =
        new LyingApiServer()
            .lies(
                "version",
                e -> {
                  e.getResponseHeaders().set("Retry-After", "3600");
                  FakeApiServer.send(e, 429, FakeApiServer.status(429, "TooManyRequests"));
                });
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      tells(gateway, "HTTP 429");
      // Nothing is sent, although the answer would be Done.
      assertThat(gateway.apply(RETIRE))
          .isEqualTo(new ActionOutcome.Unavailable("the cluster asked clients to back off"));
    }
  }

  @Test
  void overloadedClusterWithoutRetryAfterIsRetried() {
    LyingApiServer server =
        new LyingApiServer()
            .lies(
                "all",
                e -> FakeApiServer.send(e, 429, FakeApiServer.status(429, "TooManyRequests")));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      tells(gateway, "HTTP 429");
      assertThat(gateway.apply(RETIRE)).isInstanceOf(ActionOutcome.Unavailable.class);
      server.repents("all");
      eventually(
          "it is seen", () -> gateway.contact().synced() && gateway.contact().trouble() == null);
      assertThat(gateway.apply(RETIRE)).isInstanceOf(ActionOutcome.Done.class);
    }
  }

  @Test
  void stalledConnectionCountsAsSilence() {
    LyingApiServer server = new LyingApiServer();
    try (server;
        ClusterGateway gateway = server.connect("east", Duration.ofMillis(500), NEVER)) {
      eventually(
          "it is seen", () -> gateway.contact().synced() && gateway.contact().trouble() == null);
      server.lies("all", e -> server.hang());
      tells(gateway, "can this machine reach it");
      eventually("it is silent", () -> gateway.contact().silentMillis() > 0);
      assertThat(gateway.apply(RETIRE)).isInstanceOf(ActionOutcome.Unavailable.class);
    }
  }

  /**
   * Fails when the cache does not list its contents ({@code WatchCache.values}): deleted objects
   * stay.
   */
  @Test
  void expiredResourceVersionIsListedAgain() {
    AtomicInteger lists = new AtomicInteger();
    String gone = "{\"type\":\"ERROR\",\"object\":" + FakeApiServer.status(410, "Expired") + "}\n";
    LyingApiServer server = new LyingApiServer();
    server.lies(
        "list nodes",
        e -> FakeApiServer.send(e, 200, list("", node("n" + lists.incrementAndGet()))));
    server.lies(
        "watch nodes",
        e -> {
          if (lists.get() > 1) {
            e.sendResponseHeaders(200, 0);
            e.getResponseBody().flush();
            server.hang();
          } else {
            FakeApiServer.send(e, 200, gone);
          }
        });
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      eventually(
          "only what is there now is shown",
          () ->
              gateway.inventory().nodes().stream()
                  .map(NodeReport::name)
                  .toList()
                  .toString()
                  .equals("[n2]"));
    }
  }

  @Test
  void podWithOurLabelsInAForeignNamespaceIsForeignAndCounts() {
    String pod =
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"others\",\"labels\":{\"fairlead.dev/installation\":\"%s\",\"fairlead.dev/attempt\":\"aaaaaaaaaaaaaaaaaaaaaaaaaa\",\"fairlead.dev/role\":\"worker\",\"fairlead.dev/index\":\"0\",\"fairlead.dev/incarnation\":\"0\"}},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"resources\":{\"requests\":{\"nvidia.com/gpu\":\"8\"}}}]},\"status\":{\"phase\":\"Running\"}}"
            .formatted(LyingApiServer.INSTALLATION.label());
    LyingApiServer server =
        new LyingApiServer()
            .lies("list nodes", e -> FakeApiServer.send(e, 200, list("", node("n1"))))
            .lies("list pods", e -> FakeApiServer.send(e, 200, list("", ours(e) ? pod : "")));
    try (server;
        ClusterGateway gateway = server.connect("east", CALL, NEVER)) {
      eventually("it is seen", () -> gateway.contact().synced());
      // Otherwise its usage would be hidden from the planner.
      assertThat(gateway.inventory().nodes().getFirst().foreign().gpuMilli()).isEqualTo(8_000);
      assertThat(gateway.workloadsSince(0).workloads()).isEmpty();
    }
  }

  private static boolean ours(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return query.contains("labelSelector=fairlead.dev/installation=");
  }

  private static void tells(ClusterGateway gateway, String what) {
    tells(RealCluster.PATIENCE, gateway, what);
  }

  private static void tells(Duration within, ClusterGateway gateway, String what) {
    await()
        .atMost(within)
        .untilAsserted(
            () -> assertThat(gateway.contact().trouble()).startsWith("east: ").contains(what));
  }

  /**
   * The watch stays open and sends nothing. Fails when an open watch is mistaken for one that
   * works.
   */
  @Test
  void silentlyDeadWatchRaisesAnAlarmAndIsListedAgain() {
    LyingApiServer server = new LyingApiServer();
    try (ClusterGateway gateway = server.connectQuiet("east", Duration.ofSeconds(1))) {
      eventually("it is seen", () -> gateway.contact().synced());
      tells(gateway, "a watch has stalled");
      eventually("all objects are listed again", () -> lists(server) > 1);
    } finally {
      server.close();
    }
  }

  /** Fails when a bookmark does not count as a response. */
  @Test
  void watchWithBookmarksIsLeftAlone() {
    LyingApiServer server = new LyingApiServer();
    AtomicInteger bookmarks = new AtomicInteger();
    Map.of("pods", "Pod", "configmaps", "ConfigMap", "nodes", "Node")
        .forEach((plural, kind) ->
            server.lies("watch " + plural, exchange -> bookmarks(exchange, kind, bookmarks)));
    try (ClusterGateway gateway = server.connectQuiet("east", Duration.ofSeconds(4))) {
      eventually("it is seen", () -> gateway.contact().synced());
      // about three times the lifetime of a silent watch, because the machine may stall
      eventually("many bookmarks came", () -> bookmarks.get() > 2000);
      assertThat(lists(server)).isLessThan(3);
    } finally {
      server.close();
    }
  }

  private static long lists(LyingApiServer server) {
    return server.requests().stream()
        .filter(asked -> asked.contains("/nodes") && !asked.contains("watch=true"))
        .count();
  }

  private static void bookmarks(HttpExchange exchange, String kind, AtomicInteger sent)
      throws IOException {
    exchange.sendResponseHeaders(200, 0);
    String bookmark =
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"8\"}}}\n"
            .formatted(kind);
    while (!Thread.currentThread().isInterrupted()) {
      exchange.getResponseBody().write(bookmark.getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      sent.incrementAndGet();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
