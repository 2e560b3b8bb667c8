package dev.fairlead.verify.load.submit;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Waiting;
import java.time.Duration;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Simulated clusters of equal nodes. */
public final class BenchFleet {
  private static final Duration NODES_REPORTED = Duration.ofMinutes(2);

  private BenchFleet() {}

  /**
   * Registers a cluster {@code load} and waits until the service knows its nodes, of 8 GPUs each.
   *
   * @throws IllegalStateException when it does not within two minutes
   */
  public static void register(FairleadApi api, int nodes) throws InterruptedException {
    register(api, "load", nodes, 8);
  }

  /**
   * Registers a cluster of that name.
   *
   * @param gpus GPUs of each node, 0 for nodes without any
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
    Waiting.until(
        "the cluster reports its " + nodes + " nodes",
        NODES_REPORTED,
        () -> api.get("/clusters/" + name).path("nodes").asInt(0) >= nodes);
  }
}
