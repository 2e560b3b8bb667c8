package dev.fairlead.work.workload.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * An API server with correct responses (a version, empty lists, watches without events), except
 * where a test changes them.
 */
public final class LyingApiServer implements AutoCloseable {
  static final Installation INSTALLATION = new Installation(new UUID(8, 8), 1);
  static final String VERSION = "{\"major\":\"1\",\"minor\":\"36\",\"gitVersion\":\"v1.36.4\"}";
  private static final Duration PROBE = Duration.ofMillis(50);
  private final Map<String, Lie> lies = new ConcurrentHashMap<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final FakeApiServer server;
  private volatile CountDownLatch watches = new CountDownLatch(1);

  public LyingApiServer() {
    server = new FakeApiServer((exchange, n) -> answer(exchange));
  }

  LyingApiServer(ExpiredIdentity identity) {
    server =
        new FakeApiServer(
            (exchange, n) -> answer(exchange), identity.server(), identity.authority());
  }

  /** The answer in its place. */
  @FunctionalInterface
  public interface Lie {
    void to(HttpExchange exchange) throws IOException;
  }

  /**
   * @param what {@code version}, or {@code list} or {@code watch} and the plural of a kind
   */
  public LyingApiServer lies(String what, Lie lie) {
    lies.put(what, lie);
    return this;
  }

  /** Reports it correctly again. */
  void repents(String what) {
    lies.remove(what);
  }

  Connection.Kubernetes connection(String host) {
    return server.connection(host);
  }

  public List<String> requests() {
    return server.requests();
  }

  /** Connects a gateway that treats a watch as dead after this time without events. */
  ClusterGateway connectQuiet(String name, Duration quiet) {
    return connector(Duration.ofSeconds(20), PROBE, Duration.ofSeconds(20), quiet, null)
        .connect(INSTALLATION, row(name), server.connection("cluster.example"));
  }

  ClusterGateway connect(String name, Duration callTimeout, Duration reopen) {
    return connector(callTimeout, reopen, null)
        .connect(INSTALLATION, row(name), server.connection("cluster.example"));
  }

  /** Serves several clusters of one process. */
  public static KubernetesConnector connector(
      Duration callTimeout, Duration reopen, @Nullable MeterRegistry meters) {
    return connector(callTimeout, PROBE, reopen, KubernetesSettings.DEFAULT.quiet(), meters);
  }

  /** For many clusters of one process, each probed less often. */
  static KubernetesConnector connector(Duration probe, Duration reopen) {
    return connector(
        Duration.ofSeconds(20), probe, reopen, KubernetesSettings.DEFAULT.quiet(), null);
  }

  private static KubernetesConnector connector(
      Duration callTimeout,
      Duration probe,
      Duration reopen,
      Duration quiet,
      @Nullable MeterRegistry meters) {
    return new KubernetesConnector(
        new EgressPolicy(List.of(Cidr.parse("127.0.0.0/8")), FakeHosts.LOOKUP),
        new KubernetesSettings(
            TopologyLevels.DEFAULT,
            "cluster.local",
            callTimeout,
            probe,
            reopen,
            quiet,
            false,
            CallLimits.DEFAULT,
            KubernetesSettings.DEFAULT.helperImage()),
        meters);
  }

  public ClusterGateway connect(String name, KubernetesConnector connector) {
    return connector.connect(INSTALLATION, row(name), server.connection("cluster.example"));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String kind = path.substring(path.lastIndexOf('/') + 1);
    boolean watch = String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true");
    String what = kind.equals("version") ? kind : (watch ? "watch " : "list ") + kind;
    Lie lie = lies.getOrDefault(what, lies.get("all"));
    if (lie != null) {
      lie.to(exchange);
    } else if (kind.equals("version")) {
      FakeApiServer.send(exchange, 200, VERSION);
    } else if (watch) {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().flush();
      untilEnded(watches);
    } else {
      FakeApiServer.send(exchange, 200, list("", ""));
    }
  }

  /** Ends the watches that are open now. */
  void endWatches() {
    CountDownLatch open = watches;
    watches = new CountDownLatch(1);
    open.countDown();
  }

  public void hang() {
    untilEnded(ended);
  }

  private static void untilEnded(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static String list(String next, String items) {
    return "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"%s\"},\"items\":[%s]}"
        .formatted(next, items);
  }

  static String node(String name) {
    return "{\"metadata\":{\"name\":\"%s\",\"uid\":\"u-%s\",\"resourceVersion\":\"5\"},\"status\":{\"allocatable\":{\"cpu\":\"8\",\"nvidia.com/gpu\":\"8\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
        .formatted(name, name);
  }

  static Cluster row(String name) {
    return new Cluster(
        new ClusterId(new UUID(1, name.hashCode())),
        name,
        ClusterKind.KUBERNETES,
        ClusterState.ACTIVE,
        CapacityType.RESERVED,
        new TreeMap<>(),
        ClusterSettings.DEFAULT,
        Capabilities.UNOBSERVED,
        Instant.EPOCH,
        null,
        null,
        1);
  }

  @Override
  public void close() {
    ended.countDown();
    watches.countDown();
    server.close();
  }
}
