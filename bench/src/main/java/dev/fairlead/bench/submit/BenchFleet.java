package dev.fairlead.bench.submit;

import dev.fairlead.launcher.FairleadApi;
import java.time.Duration;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** One simulated cluster of alike nodes. */
public final class BenchFleet {
  private static final Duration NODES_TOLD = Duration.ofMinutes(2);

  private BenchFleet() {}

  /**
   * Registers the cluster and waits until the service knows its nodes, of 8 GPUs each.
   *
   * @throws IllegalStateException when it does not within two minutes
   */
  public static void register(FairleadApi api, int nodes) throws InterruptedException {
    ObjectNode body =
        JsonNodeFactory.instance.objectNode().put("name", "bench").put("kind", "SIMULATED");
    body.putArray("fleet")
        .addObject()
        .put("nodes", nodes)
        .put("gpusPerNode", 8)
        .put("model", "H100");
    api.post("/clusters", body);
    long until = System.nanoTime() + NODES_TOLD.toNanos();
    while (api.get("/clusters/bench").path("nodes").asInt(0) < nodes) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("the cluster did not tell its " + nodes + " nodes in time");
      }
      Thread.sleep(Duration.ofMillis(200));
    }
  }
}
