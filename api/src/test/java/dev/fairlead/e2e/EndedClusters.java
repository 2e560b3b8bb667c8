package dev.fairlead.e2e;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Disables the clusters of the shared service when a test class ends, unless another class runs.
 * Their supervisors would use CPU time during all later classes of the JVM.
 */
public final class EndedClusters implements BeforeAllCallback, AfterAllCallback {
  private static final AtomicInteger CLASSES = new AtomicInteger();
  private static volatile @Nullable Http shared;

  /** The API of the shared service, which starts when a class first uses it. */
  static void at(Http http) {
    shared = http;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    CLASSES.incrementAndGet();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Http http = shared;
    if (CLASSES.decrementAndGet() == 0 && http != null) {
      disable(http);
    }
  }

  private static void disable(Http http) {
    http.get("/api/v1/clusters")
        .json()
        .get("items")
        .valueStream()
        .filter(cluster -> !cluster.get("state").asString().equals("DISABLED"))
        .map(cluster -> "/api/v1/clusters/" + cluster.get("name").asString() + "?force=true")
        .forEach(
            cluster -> await().atMost(Duration.ofMinutes(1)).until(() -> disabled(http, cluster)));
  }

  /** Its supervisor may write to the cluster between reading and patching. */
  private static boolean disabled(Http http, String cluster) {
    String[] headers = {"Content-Type", Http.JSON, "If-Match", "*"};
    return http.send("PATCH", cluster, "{\"state\": \"DISABLED\"}", headers).status() == 200;
  }
}
