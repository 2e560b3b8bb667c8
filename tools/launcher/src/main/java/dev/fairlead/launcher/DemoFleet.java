package dev.fairlead.launcher;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The three simulated clusters of demo, development and replay. */
public final class DemoFleet {
  private static final Duration INVENTORY_WAIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final List<SimulatedCluster> CLUSTERS =
      List.of(
          new SimulatedCluster("eu-1", 16, 8, "H100", 2, 2),
          new SimulatedCluster("us-2", 8, 8, "H200", 1, 1),
          new SimulatedCluster("edge-3", 4, 4, "L4", 1, 1));

  private DemoFleet() {}

  private record SimulatedCluster(
      String name, int nodes, int gpusPerNode, String model, int blocks, int racksPerBlock) {
    private ObjectNode registration() {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("name", name).put("kind", "SIMULATED");
      body.putArray("fleet")
          .addObject()
          .put("nodes", nodes)
          .put("gpusPerNode", gpusPerNode)
          .put("model", model)
          .put("blocks", blocks)
          .put("racksPerBlock", racksPerBlock);
      return body;
    }

    private String text() {
      return name + " " + nodes + " x " + gpusPerNode + " " + model;
    }
  }

  /** {@code eu-1 16 x 8 H100, ...}. */
  public static String text() {
    return String.join(", ", CLUSTERS.stream().map(SimulatedCluster::text).toList());
  }

  /** Registers missing clusters, and waits until the nodes of all are known. */
  public static void register(FairleadApi api) throws InterruptedException {
    SortedSet<String> known = new TreeSet<>();
    api.each("/clusters", cluster -> known.add(cluster.path("name").asString("")));
    for (SimulatedCluster cluster : CLUSTERS) {
      if (!known.contains(cluster.name())) {
        api.post("/clusters", cluster.registration());
      }
    }
    awaitNodes(api);
  }

  private static void awaitNodes(FairleadApi api) throws InterruptedException {
    Instant until = Instant.now().plus(INVENTORY_WAIT);
    SortedSet<String> missing = missing(api);
    while (!missing.isEmpty()) {
      if (Instant.now().isAfter(until)) {
        throw new StartFailed(
            "the nodes of "
                + missing
                + " were not seen within "
                + INVENTORY_WAIT.toSeconds()
                + " s");
      }
      Thread.sleep(POLL);
      missing = missing(api);
    }
  }

  private static SortedSet<String> missing(FairleadApi api) {
    SortedSet<String> missing = new TreeSet<>();
    CLUSTERS.forEach(cluster -> missing.add(cluster.name()));
    api.each(
        "/clusters",
        cluster -> {
          if (cluster.path("nodes").asInt(0) > 0) {
            missing.remove(cluster.path("name").asString(""));
          }
        });
    return missing;
  }
}
