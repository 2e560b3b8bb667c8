package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalCluster;
import dev.fairlead.launcher.StartFailed;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Two real control planes with simulated nodes, for the demo. */
final class KubernetesFleet implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(200);

  private final LocalCluster large;
  private final LocalCluster edge;

  private KubernetesFleet(LocalCluster large, LocalCluster edge) {
    this.large = large;
    this.edge = edge;
  }

  /**
   * Starts both.
   *
   * @throws StartFailed when their programs are not built
   */
  static KubernetesFleet start() {
    LocalCluster large =
        LocalCluster.start("demo-eu", "--nodes", "16", "--blocks", "2", "--racks", "4");
    large.nodes("--nodes", "8", "--gpu-model", "H200", "--prefix", "h200");
    LocalCluster edge =
        LocalCluster.start("demo-edge", "--nodes", "4", "--gpus", "4", "--gpu-model", "L4");
    return new KubernetesFleet(large, edge);
  }

  /** Registers both and waits until their nodes are known. */
  void register(FairleadApi api) throws InterruptedException {
    api.post("/clusters", large.registration("eu-1"));
    api.post("/clusters", edge.registration("edge-3"));
    awaitNodes(api, "eu-1", 24);
    awaitNodes(api, "edge-3", 4);
  }

  private static void awaitNodes(FairleadApi api, String cluster, int nodes)
      throws InterruptedException {
    Instant until = Instant.now().plus(PATIENCE);
    while (api.get("/clusters/" + cluster).path("nodes").asInt(0) < nodes) {
      if (Instant.now().isAfter(until)) {
        throw new StartFailed(
            "cluster "
                + cluster
                + " is unreachable: "
                + api.get("/clusters/" + cluster).path("trouble").asString("no reason is given"));
      }
      Thread.sleep(POLL);
    }
  }

  /** Restarts the machine of a node of {@code eu-1}, by the view of its cluster. */
  void restart(String node) {
    large.restart(node);
  }

  /** The administrators' kubeconfigs, for kubectl. */
  List<Path> kubeconfigs() {
    return List.of(large.kubeconfig(), edge.kubeconfig());
  }

  @Override
  public void close() {
    large.close();
    edge.close();
  }
}
