package dev.fairlead.workload.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.cluster.Connection;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;

/** API servers that nobody should suffer from but their own jobs. */
public final class BadClusters {
  private static final long BETWEEN_LIES_MILLIS = 5;

  private BadClusters() {}

  /** One that runs until it is closed. */
  public static final class Bad implements AutoCloseable {
    private final LyingApiServer server;

    private Bad(LyingApiServer server) {
      this.server = server;
    }

    /** Text of a kubeconfig for it. */
    public String kubeconfig() {
      Connection.Kubernetes connection = server.connection("127.0.0.1");
      return """
      clusters: [{name: c, cluster: {server: "%s", certificate-authority-data: "%s"}}]
      users: [{name: u, user: {token: "%s"}}]
      contexts: [{name: x, context: {cluster: c, user: u}}]
      current-context: x
      """
          .formatted(
              connection.server(),
              connection.caData(),
              Objects.requireNonNull(connection.token()).reveal());
    }

    /** How often it was asked something. */
    public int asked() {
      return server.requests().size();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** Takes every request and answers none. */
  public static Bad hanging() {
    LyingApiServer server = new LyingApiServer();
    return new Bad(server.lies("all", exchange -> server.hang()));
  }

  /** Its only node comes and goes all the time, its pods are no JSON, and it refuses the rest. */
  public static Bad lying() {
    LyingApiServer server = new LyingApiServer();
    return new Bad(
        server
            .lies("version", e -> FakeApiServer.send(e, 200, LyingApiServer.VERSION))
            .lies("list nodes", e -> FakeApiServer.send(e, 200, LyingApiServer.list("", "")))
            .lies("watch nodes", BadClusters::flapping)
            .lies("list pods", e -> FakeApiServer.send(e, 200, "{\"items\": [{\"metadata\":"))
            .lies("all", e -> FakeApiServer.send(e, 500, FakeApiServer.status(500, "Internal"))));
  }

  private static void flapping(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    for (int i = 8; !Thread.currentThread().isInterrupted(); i++) {
      String type = i % 2 == 0 ? "ADDED" : "DELETED";
      String node =
          LyingApiServer.node("liar")
              .replace("\"resourceVersion\":\"5\"", "\"resourceVersion\":\"" + i + "\"");
      String event = "{\"type\":\"" + type + "\",\"object\":" + node + "}\n";
      out.write(event.getBytes(StandardCharsets.UTF_8));
      out.flush();
      RealCluster.pause(Duration.ofMillis(BETWEEN_LIES_MILLIS));
    }
  }
}
