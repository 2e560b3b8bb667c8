package dev.fairlead.workload.kubernetes;

import static dev.fairlead.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.workload.ClusterGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Clusters that were lost together. */
class ReconnectTest {
  private static final int CLUSTERS = 50;
  private static final Duration REOPEN = Duration.ofSeconds(3);

  /** Fails when a new connection is opened without waiting for a part of the time. */
  @Test
  void theListsOfFiftyClustersThatWereLostTogetherDoNotComeTogether() {
    List<LyingApiServer> servers = new ArrayList<>();
    List<ClusterGateway> gateways = new ArrayList<>();
    ConcurrentSkipListSet<Long> firstLists = new ConcurrentSkipListSet<>();
    try {
      for (int i = 0; i < CLUSTERS; i++) {
        LyingApiServer server = new LyingApiServer();
        servers.add(server);
        gateways.add(server.connect("c" + i, Duration.ofSeconds(20), REOPEN));
      }
      gateways.forEach(gateway -> eventually("it is seen", () -> gateway.contact().synced()));
      servers.forEach(server -> lost(server, firstLists));
      eventually("all are listed anew", () -> firstLists.size() == CLUSTERS);
      // A third of the time of silence, of which fifty draws at random cover nearly all.
      Duration between = Duration.ofNanos(firstLists.last() - firstLists.first());
      assertThat(between).isGreaterThan(REOPEN.dividedBy(10));
    } finally {
      gateways.forEach(ClusterGateway::close);
      servers.forEach(LyingApiServer::close);
    }
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
