package dev.fairlead.verify.load.smoke;

import dev.fairlead.launcher.FairleadApi;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Jobs with a start in the far future, submitted in batches of 500 by one client. */
final class BatchSubmit {
  private static final String BATCH = "/projects/default/jobs/batch";
  private static final int SIZE = 500;

  private BatchSubmit() {}

  /**
   * Submits jobs.
   *
   * @param count a multiple of 500
   * @return jobs a second
   */
  static double submit(FairleadApi api, String prefix, int count) {
    long start = System.nanoTime();
    for (int from = 0; from < count; from += SIZE) {
      JsonNode answer = api.post(BATCH, batch(prefix, from));
      for (JsonNode item : answer.path("items")) {
        if (!item.path("job").isObject()) {
          throw new IllegalStateException("a job of the batch was refused: " + item);
        }
      }
    }
    double seconds = Duration.ofNanos(System.nanoTime() - start).toMillis() / 1000.0;
    return count / seconds;
  }

  private static ObjectNode batch(String prefix, int from) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode items = body.putArray("items");
    for (int i = from; i < from + SIZE; i++) {
      items
          .addObject()
          .put("name", prefix + "-" + i)
          .put("image", "registry.example.com/verify/batch:1")
          .put("gpu", 1)
          .put("notBefore", "2099-01-01T00:00:00Z");
    }
    return body;
  }
}
