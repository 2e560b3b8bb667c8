package dev.fairlead.verify;

import dev.fairlead.launcher.FairleadApi;
import java.util.Collection;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Submits many jobs to the project {@code default} in one request. */
public final class Batches {
  /** The path of the project's jobs. */
  public static final String JOBS = "/projects/default/jobs";

  private Batches() {}

  /**
   * @param jobs 1 to 1,000
   * @throws IllegalStateException when one of them was refused
   */
  public static void submit(FairleadApi api, Collection<ObjectNode> jobs) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode items = body.putArray("items");
    jobs.forEach(items::add);
    for (JsonNode item : api.post(JOBS + "/batch", body).path("items")) {
      if (!item.path("job").isObject()) {
        throw new IllegalStateException("a job of the batch was refused: " + item);
      }
    }
  }
}
