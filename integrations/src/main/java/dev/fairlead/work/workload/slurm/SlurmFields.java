package dev.fairlead.work.workload.slurm;

import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Translates answers and requests between v0.0.38 and the versions from v0.0.40 on. Later versions
 * have objects as numbers and lists as states (https://slurm.schedmd.com/rest_api.html).
 */
final class SlurmFields {
  private static final JsonNodeFactory NEW = JsonNodeFactory.instance;
  private static final int FIRST = 40;
  private static final int CODES = 8;
  private static final String COMPLETING = "COMPLETING";

  /** States of a node without its flags. */
  private static final Set<String> BASES =
      Set.of("INVALID", "UNKNOWN", "DOWN", "IDLE", "ALLOCATED", "ERROR", "MIXED", "FUTURE");

  private SlurmFields() {}

  /** Returns whether the fields of the version differ from those of v0.0.38. */
  static boolean differ(String version) {
    return Integer.parseInt(version.substring(version.lastIndexOf('.') + 1)) >= FIRST;
  }

  /**
   * Returns an answer of slurmctld with the fields of v0.0.38.
   *
   * @param list {@code jobs}, {@code nodes} or {@code partitions}
   */
  static JsonNode answer(JsonNode document, String list) {
    ObjectNode answer = NEW.objectNode();
    answer.putObject("meta").set("Slurm", document.path("meta").path("slurm"));
    ArrayNode all = answer.putArray(list);
    document
        .path(list)
        .valueStream()
        .map(each ->
            switch (list) {
              case "jobs" -> job(each);
              case "nodes" -> node(each);
              default -> partition(each);
            })
        .forEach(all::add);
    return answer;
  }

  private static ObjectNode job(JsonNode of) {
    ObjectNode job = copy(of, "job_id", "name", "comment", "user_name", "state_reason", "nodes");
    job.put("tres_per_node", of.path("tres_per_node").asString("").replace('=', ':'));
    job.put("job_state", state(of.path("job_state")));
    JsonNode exit = of.path("exit_code");
    job.put(
        "exit_code",
        number(exit.path("return_code")) << CODES | number(exit.path("signal").path("id")));
    for (String field : List.of("cpus", "memory_per_node", "start_time", "end_time")) {
      job.put(field, number(of.path(field)));
    }
    ArrayNode nodes = job.putObject("job_resources").putArray("allocated_nodes");
    JsonNode resources = of.path("job_resources");
    resources.path("allocated_nodes").valueStream().forEach(nodes::add); // v0.0.40 still has them
    resources
        .path("nodes")
        .path("allocation")
        .valueStream()
        .forEach(node -> nodes.addObject().put("nodename", node.path("name").asString("")));
    return job;
  }

  private static ObjectNode node(JsonNode of) {
    ObjectNode node =
        copy(
            of,
            "name",
            "gres",
            "gres_used",
            "cpus",
            "real_memory",
            "alloc_cpus",
            "alloc_memory",
            "partitions");
    List<String> states = texts(of.path("state"));
    node.put("state", states.stream().filter(BASES::contains).findFirst().orElse(""));
    ArrayNode flags = node.putArray("state_flags");
    states.stream().filter(state -> !BASES.contains(state)).forEach(flags::add);
    node.put("active_features", String.join(",", texts(of.path("active_features"))));
    return node;
  }

  private static ObjectNode partition(JsonNode of) {
    return copy(of, "name").put("state", state(of.path("partition").path("state")));
  }

  /** Returns a record of the accounting with the fields of v0.0.38. */
  static JsonNode ended(JsonNode of) {
    ObjectNode job = copy(of, "name", "nodes", "time");
    job.putObject("state")
        .put("current", state(of.path("state").path("current")))
        .put("reason", of.path("state").path("reason").asString(""));
    return job;
  }

  /** Returns a submission with the fields of the versions from v0.0.40 on. */
  static JsonNode submission(JsonNode of) {
    ObjectNode job = (ObjectNode) of.path("job").deepCopy();
    job.set("script", of.path("script"));
    ArrayNode environment = job.putArray("environment");
    of.path("job")
        .path("environment")
        .properties()
        .forEach(each -> environment.add(each.getKey() + "=" + each.getValue().asString("")));
    JsonNode nodes = job.path("nodes").path(0);
    job.put("nodes", nodes.asString()).set("minimum_nodes", nodes);
    job.set("maximum_nodes", nodes);
    for (String field : List.of("memory_per_node", "time_limit")) {
      JsonNode value = job.path(field);
      if (value.isNumber()) {
        job.putObject(field).put("set", true).set("number", value);
      }
    }
    JsonNode gpus = job.remove("gpus_per_node");
    if (gpus != null) {
      job.put("tres_per_node", "gres/gpu:" + gpus.asString());
    }
    job.remove("no_requeue");
    job.put("requeue", false);
    JsonNode others = job.remove("exclude_nodes");
    if (others != null) {
      ArrayNode excluded = job.putArray("excluded_nodes");
      List.of(others.asString().split(",", -1)).forEach(excluded::add);
    }
    ObjectNode submission = NEW.objectNode();
    submission.set("job", job);
    return submission;
  }

  private static ObjectNode copy(JsonNode of, String... fields) {
    ObjectNode copy = NEW.objectNode();
    for (String field : fields) {
      if (of.has(field)) {
        copy.set(field, of.get(field));
      }
    }
    return copy;
  }

  /** A number that is set, 0 for none and for infinity. */
  private static long number(JsonNode of) {
    boolean set = of.path("set").asBoolean(false) && !of.path("infinite").asBoolean(false);
    return set ? of.path("number").asLong(0) : 0;
  }

  /** The base state, which is the first one, or {@code COMPLETING}. */
  private static String state(JsonNode of) {
    List<String> states = texts(of);
    return states.contains(COMPLETING) ? COMPLETING : states.isEmpty() ? "" : states.getFirst();
  }

  private static List<String> texts(JsonNode of) {
    return of.valueStream().map(each -> each.asString("")).toList();
  }
}
