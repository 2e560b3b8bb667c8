package dev.fairlead.verify.load.health;

import dev.fairlead.launcher.FairleadApi;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Events as a monitor of a cluster posts them. */
final class Reports {
  /** GPU has fallen off the bus: isolates its node. */
  static final int FATAL = 79;

  private Reports() {}

  /**
   * @param number suffix of its id
   * @param gpu UUID
   */
  static ObjectNode event(String number, String node, String gpu, int xid) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", "bench-" + number)
        .put("at", Instant.now().toString())
        .put("node", node)
        .put("gpu", gpu)
        .put("xid", xid)
        .put("message", "NVRM: Xid (PCI:0000:3b:00): " + xid + ", pid=4711, name=python");
  }

  /**
   * @throws IllegalStateException when one of them is not stored
   */
  static JsonNode post(FairleadApi api, String cluster, List<ObjectNode> events) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode items = body.putArray("events");
    events.forEach(items::add);
    JsonNode answers = api.post("/clusters/" + cluster + "/health-events", body).path("items");
    for (JsonNode answer : answers) {
      if (!answer.path("outcome").asString("").equals("STORED")) {
        throw new IllegalStateException("an event was not stored: " + answer);
      }
    }
    return answers;
  }

  /**
   * Reports a fault that isolates its node.
   *
   * @throws IllegalStateException when it does not
   */
  static void fault(FairleadApi api, String cluster, ObjectNode event) {
    JsonNode answer = post(api, cluster, List.of(event)).path(0);
    if (!answer.path("detail").asString("").endsWith("takes nothing new")) {
      throw new IllegalStateException("the fault isolated nothing: " + answer);
    }
  }

  static void release(FairleadApi api, String node) {
    api.post(
        "/nodes/" + node + "/release",
        JsonNodeFactory.instance.objectNode().put("reason", "measured"));
  }
}
