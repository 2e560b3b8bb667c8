package dev.fairlead.launcher;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The three simulated clusters of demo, development and replay, from the platform file of the demo.
 *
 * @param clusters the bodies of their registrations
 */
public record DemoFleet(List<JsonNode> clusters) {
  private static final String FILE = "examples/platform/demo.yaml";
  private static final Duration INVENTORY_WAIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(100);

  /** The platform file, which {@code make demo} applies as a whole. */
  public static Path file() {
    return WorkTree.root().resolve(FILE);
  }

  /**
   * Reads the clusters of the platform file.
   *
   * @throws StartFailed when the file cannot be read or has no clusters
   */
  public static DemoFleet read() {
    return read(file());
  }

  static DemoFleet read(Path file) {
    try (Reader text = Files.newBufferedReader(file)) {
      Object platform = new Load(LoadSettings.builder().build()).loadFromReader(text);
      JsonNode clusters = JsonMapper.shared().<JsonNode>valueToTree(platform).path("clusters");
      if (clusters.isEmpty()) {
        throw new StartFailed(file + " has no clusters");
      }
      return new DemoFleet(clusters.valueStream().toList());
    } catch (IOException | YamlEngineException e) {
      throw new StartFailed(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** {@code eu-1 16 x 8 H100, ...}. */
  public String text() {
    return String.join(", ", clusters.stream().map(DemoFleet::text).toList());
  }

  private static String text(JsonNode cluster) {
    JsonNode nodes = cluster.path("fleet").path(0);
    return "%s %d x %d %s"
        .formatted(
            name(cluster),
            nodes.path("nodes").asInt(0),
            nodes.path("gpusPerNode").asInt(0),
            nodes.path("model").asString(""));
  }

  private static String name(JsonNode cluster) {
    return cluster.path("name").asString("");
  }

  /** Registers missing clusters, and waits until the nodes of all are known. */
  public void register(FairleadApi api) throws InterruptedException {
    SortedSet<String> known = new TreeSet<>();
    api.each("/clusters", cluster -> known.add(name(cluster)));
    clusters.stream()
        .filter(cluster -> !known.contains(name(cluster)))
        .forEach(cluster -> api.post("/clusters", cluster));
    awaitNodes(api);
  }

  /**
   * Waits until the nodes of all clusters are known.
   *
   * @throws StartFailed when they are not within 30 s
   */
  public void awaitNodes(FairleadApi api) throws InterruptedException {
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

  private SortedSet<String> missing(FairleadApi api) {
    SortedSet<String> missing = new TreeSet<>();
    clusters.forEach(cluster -> missing.add(name(cluster)));
    api.each(
        "/clusters",
        cluster -> {
          if (cluster.path("nodes").asInt(0) > 0) {
            missing.remove(name(cluster));
          }
        });
    return missing;
  }
}
