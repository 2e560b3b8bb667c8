package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.connection.Connection;
import java.util.Objects;
import java.util.function.IntSupplier;

/** API servers with faults that may affect only their own jobs. */
public final class BadClusters {
  private BadClusters() {}

  /** One that runs until it is closed. */
  public static final class Bad implements AutoCloseable {
    private final LyingApiServer server;

    private final IntSupplier told;

    private Bad(LyingApiServer server, IntSupplier told) {
      this.server = server;
      this.told = told;
    }

    /** Text of a kubeconfig for the cluster. */
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

    /** The number of requests it received. */
    public int asked() {
      return server.requests().size();
    }

    /** The number of watch events it sent. */
    public int told() {
      return told.getAsInt();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** Takes every request and answers none. */
  public static Bad hanging() {
    LyingApiServer server = new LyingApiServer();
    return new Bad(server.lies("all", exchange -> server.hang()), () -> 0);
  }

  /** Its nodes and pods change state constantly, see {@link FlappingCluster}. */
  public static Bad lying() {
    FlappingCluster flapping = new FlappingCluster();
    return new Bad(flapping.on(new LyingApiServer()), flapping::told);
  }
}
