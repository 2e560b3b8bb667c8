package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Clusters that were lost together. */
class ReconnectTest {
  private static final int CLUSTERS = 16;

  /** Twelve seconds without events, because a stalled machine sends none in this time. */
  private static final long NOTICED_PROBES = 60;

  private static final WorkloadAction RETIRE =
      new WorkloadAction.Retire(
          new AttemptId(new UUID(3, 3)), "fairlead-x", List.of(), new TreeSet<>());
  private static final Duration PROBE = Duration.ofMillis(500);
  private static final Duration REOPEN = Duration.ofSeconds(6);

  /** Fails when everything is listed again without a pause. */
  @Test
  void listsOfClustersLostTogetherAreStaggered() {
    List<LyingApiServer> servers = new ArrayList<>();
    List<ClusterGateway> gateways = new ArrayList<>();
    KubernetesConnector connector = LyingApiServer.connector(PROBE, REOPEN);
    ConcurrentSkipListSet<Long> firstLists = new ConcurrentSkipListSet<>();
    try {
      for (int i = 0; i < CLUSTERS; i++) {
        LyingApiServer server = new LyingApiServer();
        servers.add(server);
        gateways.add(server.connect("c" + i, connector));
      }
      gateways.forEach(gateway -> eventually("it is seen", () -> gateway.contact().synced()));
      servers.forEach(server -> lost(server, firstLists));
      gateways.forEach(gateway ->
          eventually("it is lost", () -> gateway.contact().silentMillis() > REOPEN.toMillis()));
      // One probe may have been in progress. The next probe is from a new connection.
      servers.forEach(ReconnectTest::probedTwice);
      servers.forEach(server -> server.repents("version"));
      eventually("all are listed anew", () -> firstLists.size() == CLUSTERS);
      // A third of the silence timeout, most of which sixteen random draws cover.
      Duration between = Duration.ofNanos(firstLists.last() - firstLists.first());
      assertThat(between).isGreaterThan(REOPEN.dividedBy(10));
    } finally {
      gateways.forEach(ClusterGateway::close);
      servers.forEach(LyingApiServer::close);
    }
  }

  private static void probedTwice(LyingApiServer server) {
    long before = probes(server);
    eventually("it is probed", () -> probes(server) >= before + 2);
  }

  private static long probes(LyingApiServer server) {
    return server.requests().stream().filter(request -> request.endsWith("/version")).count();
  }

  /**
   * Fails when watches wait for a separate back-off, or when requests other than the probe are sent
   * to an unreachable cluster.
   */
  @Test
  void unavailableClusterGetsOnlyProbesAndIsSeenSoonAfterItsReturn() {
    try (LyingApiServer server = new LyingApiServer();
        ClusterGateway gateway =
            server.connect("one", LyingApiServer.connector(PROBE, Duration.ofMinutes(5)))) {
      eventually("it is seen", () -> well(gateway));
      server.lies("all", e -> FakeApiServer.send(e, 500, FakeApiServer.status(500, "Internal")));
      server.lies(
          "version", e -> FakeApiServer.send(e, 500, FakeApiServer.status(500, "Internal")));
      server.endWatches();
      eventually("it is away", () -> gateway.contact().trouble() != null);
      probedTwice(server);
      int from = server.requests().size();
      for (int i = 0; i < 5; i++) {
        assertThat(gateway.apply(RETIRE)).isInstanceOf(ActionOutcome.Unavailable.class);
        probedTwice(server);
      }
      assertThat(server.requests().stream().skip(from))
          .allMatch(request -> request.endsWith("/version"));

      server.repents("all");
      server.repents("version");
      long before = probes(server);
      eventually("it is seen again", () -> well(gateway));
      assertThat(probes(server) - before).isLessThan(NOTICED_PROBES);
      eventually("calls go out again", () -> gateway.apply(RETIRE) instanceof ActionOutcome.Done);
    }
  }

  private static boolean well(ClusterGateway gateway) {
    return gateway.contact().synced()
        && gateway.contact().trouble() == null
        && gateway.contact().silentMillis() == 0;
  }

  private static void lost(LyingApiServer server, ConcurrentSkipListSet<Long> firstLists) {
    AtomicBoolean listed = new AtomicBoolean();
    server.lies(
        "version", e -> FakeApiServer.send(e, 500, FakeApiServer.status(500, "InternalError")));
    server.lies(
        "list nodes",
        e -> {
          if (listed.compareAndSet(false, true)) {
            firstLists.add(System.nanoTime());
          }
          FakeApiServer.send(e, 200, LyingApiServer.list("", ""));
        });
  }
}
