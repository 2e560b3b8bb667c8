package dev.fairlead.verify.load.submit;

import dev.fairlead.launcher.FairleadApi;
import java.time.Duration;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Simulated clusters of equal nodes. */
public final class BenchFleet {
  private static final Duration NODES_TOLD = Duration.ofMinutes(2);

  private BenchFleet() {}

  /**
   * Registers a cluster {@code bench} and waits until the service knows its nodes, of 8 GPUs each.
   *
   * @throws IllegalStateException when it does not within two minutes
   */
  public static void register(FairleadApi api, int nodes) throws InterruptedException {
    register(api, "load", nodes, 8);
  }

  /**
   * Registers a cluster of that name.
   *
   * @param gpus of each node, 0 for nodes without any
   */
  public static void register(FairleadApi api, String name, int nodes, int gpus)
      throws InterruptedException {
    ObjectNode body =
        JsonNodeFactory.instance.objectNode().put("name", name).put("kind", "SIMULATED");
    ObjectNode pool = body.putArray("fleet").addObject();
    pool.put("nodes", nodes).put("gpusPerNode", gpus);
    if (gpus > 0) {
      pool.put("model", "H100");
    }
    api.post("/clusters", body);
    long until = System.nanoTime() + NODES_TOLD.toNanos();
    while (api.get("/clusters/" + name).path("nodes").asInt(0) < nodes) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("the cluster did not tell its " + nodes + " nodes in time");
      }
      Thread.sleep(Duration.ofMillis(200));
    }
  }
}
