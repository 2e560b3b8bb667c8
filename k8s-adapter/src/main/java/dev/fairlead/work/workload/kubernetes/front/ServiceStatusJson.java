package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.ServiceStatus;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The status of a ModelService in the form of its definition. */
final class ServiceStatusJson {
  private static final String OBSERVED = "observedGeneration";
  private static final String CONDITIONS = "conditions";
  private static final String URL = "url";
  private static final String STABLE = "stableVersion";
  private static final String LATEST = "latestVersion";
  private static final String REPLICAS = "replicas";
  private static final String READY_REPLICAS = "readyReplicas";
  private static final String TRAFFIC = "traffic";
  private static final List<String> OF_SERVICE =
      List.of(URL, STABLE, LATEST, REPLICAS, READY_REPLICAS, TRAFFIC);

  /** The scheme of a URL. Fairlead does not read the listeners of a Gateway. */
  private static final String HTTP = "http://";

  private static final int MOST_VERSIONS = 1000;
  private static final int MOST_CONDITIONS = 3;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ServiceStatusJson() {}

  /**
   * Reads a status. A status that Fairlead did not write in this form counts as none, so it is
   * written again.
   *
   * @param status the node, missing or null if none
   */
  static ServiceStatus read(JsonNode status, long generation, String digest) {
    try {
      if (status.path(TRAFFIC).size() <= MOST_VERSIONS
          && status.path(CONDITIONS).size() <= MOST_CONDITIONS) {
        ServiceStatus is = told(status, generation, digest);
        if (MAPPER.readTree(written(is).toString()).equals(status)) {
          return is;
        }
      }
    } catch (JsonProcessingException | DateTimeException strange) {
      return ServiceStatus.unread(generation, digest);
    }
    return ServiceStatus.unread(generation, digest);
  }

  private static ServiceStatus told(JsonNode status, long generation, String digest) {
    List<FrontCondition> conditions = new ArrayList<>();
    for (JsonNode one : status.path(CONDITIONS)) {
      conditions.add(
          new FrontCondition(
              one.path("type").asText(),
              one.path("status").asText(),
              one.path("reason").asText(),
              one.path("message").asText(),
              Instant.parse(one.path("lastTransitionTime").asText())));
    }
    return new ServiceStatus(
        generation, digest, status.path(OBSERVED).asLong(), serving(status), conditions);
  }

  private static ServiceStatus.@Nullable Serving serving(JsonNode status) {
    String url = status.path(URL).asText();
    if (!url.startsWith(HTTP)) {
      return null;
    }
    List<ServiceStatus.Version> versions = new ArrayList<>();
    for (JsonNode one : status.path(TRAFFIC)) {
      versions.add(
          new ServiceStatus.Version(
              one.path("version").asInt(),
              one.path("weight").asInt(),
              one.path(READY_REPLICAS).asInt(),
              one.path(REPLICAS).asInt()));
    }
    return new ServiceStatus.Serving(
        url.substring(HTTP.length()),
        status.path(REPLICAS).asInt(),
        status.path(READY_REPLICAS).asInt(),
        status.path(STABLE).asInt(),
        status.path(LATEST).asInt(),
        versions);
  }

  /** Merge patch that replaces the whole status. */
  static ObjectNode patch(ServiceStatus status) {
    ObjectNode patch = written(status);
    OF_SERVICE.stream().filter(name -> !patch.has(name)).forEach(patch::putNull);
    return patch;
  }

  private static ObjectNode written(ServiceStatus status) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put(OBSERVED, status.observed());
    node.put("phase", phase(status));
    ServiceStatus.Serving serving = status.serving();
    if (serving != null) {
      node.put(URL, HTTP + serving.route());
      node.put(STABLE, serving.stable());
      node.put(LATEST, serving.latest());
      node.put(REPLICAS, serving.replicas());
      node.put(READY_REPLICAS, serving.ready());
      ArrayNode traffic = node.putArray(TRAFFIC);
      for (ServiceStatus.Version version : serving.versions()) {
        ObjectNode one = traffic.addObject();
        one.put("version", version.number());
        one.put("weight", version.weight());
        one.put(READY_REPLICAS, version.ready());
        one.put(REPLICAS, version.replicas());
      }
    }
    ArrayNode conditions = node.putArray(CONDITIONS);
    for (FrontCondition one : status.conditions()) {
      ObjectNode condition = conditions.addObject();
      condition.put("type", one.type());
      condition.put("status", one.status());
      condition.put("reason", one.reason());
      condition.put("message", one.message());
      condition.put("lastTransitionTime", one.since().toString());
      condition.put(OBSERVED, status.observed());
    }
    return node;
  }

  /** State of the service as one word. */
  private static String phase(ServiceStatus status) {
    if (status.is(ServiceStatus.STALLED)) {
      return "Stalled";
    }
    if (status.is(ServiceStatus.READY)) {
      return "Ready";
    }
    return status.serving() == null ? "Pending" : "Progressing";
  }
}
