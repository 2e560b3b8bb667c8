package dev.fairlead.kernel.openapi;

import io.swagger.v3.oas.models.media.Schema;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Bounds of request fields that a schema can express, as in the readers of bodies. Rules that
 * depend on several fields, or on stored objects, are reported only when a request is refused.
 */
final class RequestBounds {
  private static final String LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
  private static final String DURATION = "^[0-9]{1,9}(ms|s|m|h|d)$";
  private static final int LONGEST_LABEL = 63;
  private static final int LONGEST_NAME = 40;
  private static final int MOST_MEMBERS = 10_000;
  private static final String LEAST_CPU = "0.001";
  private static final String MOST_CPU = "10000";

  /** 4Mi: memory as a number is in bytes. */
  private static final String LEAST_BYTES = "4194304";

  /** 1Pi. */
  private static final String MOST_BYTES = "1125899906842624";

  private static final Map<String, Map<String, Consumer<Schema<?>>>> BOUNDS =
      Map.ofEntries(
          Map.entry(
              "QuotaRequest",
              Map.of(
                  "name", label(LONGEST_LABEL),
                  "parent", label(LONGEST_LABEL),
                  "weight", RequestBounds::weight,
                  "limits", items(0, 200),
                  "usageHalfLife", duration())),
          Map.entry(
              "PatchQuotaRequest",
              Map.of(
                  "weight",
                  RequestBounds::weight,
                  "limits",
                  items(0, 200),
                  "usageHalfLife",
                  duration())),
          Map.entry("QueueRequest", Map.of("defaultMaxRuntime", duration())),
          Map.entry(
              "RegisterClusterRequest",
              Map.of(
                  "name", label(LONGEST_NAME),
                  "kubeconfig", length(1, 256 * 1024),
                  "fleet", items(1, 32),
                  "topologyLabels", items(0, 8))),
          Map.entry("UpdateClusterRequest", Map.of("topologyLabels", items(0, 8))),
          Map.entry(
              "PoolRequest",
              Map.of(
                  "nodes", range(1, MOST_MEMBERS),
                  "gpusPerNode", range(0, 16),
                  "model", length(1, LONGEST_LABEL),
                  "blocks", range(1, MOST_MEMBERS),
                  "racksPerBlock", range(1, MOST_MEMBERS))),
          Map.entry(
              "SubmitJobRequest",
              Map.ofEntries(
                  Map.entry("name", label(LONGEST_NAME)),
                  Map.entry("queue", label(LONGEST_LABEL)),
                  Map.entry("priorityClass", oneOf("low", "normal", "high", "urgent")),
                  Map.entry("launcher", label(31)),
                  Map.entry("image", length(1, 512)),
                  Map.entry("gpu", number("0", "1024")),
                  Map.entry("cpu", number(LEAST_CPU, MOST_CPU)),
                  Map.entry("memory", number(LEAST_BYTES, MOST_BYTES)),
                  Map.entry("shm", number(LEAST_BYTES, MOST_BYTES)),
                  Map.entry("workers", range(1, MOST_MEMBERS)),
                  Map.entry("minWorkers", range(1, MOST_MEMBERS)),
                  Map.entry("roles", items(1, 16)),
                  Map.entry("maxRuntime", duration()),
                  Map.entry("dependsOn", items(0, 32)),
                  Map.entry("volumes", items(0, 16)),
                  Map.entry("array", pattern("^0-[0-9]{1,5}(%[0-9]{1,5})?$")))),
          Map.entry(
              "HealthEventsRequest",
              Map.of(
                  "events", items(1, 500),
                  "inventory", items(1, 500),
                  "allocations", items(1, 500))),
          Map.entry(
              "NodeAllocationsRequest", Map.of("node", length(1, 253), "pods", items(0, 512))),
          Map.entry("PodDevicesRequest", Map.of("uid", length(1, 64), "gpus", items(0, 256))),
          Map.entry("NodeGpusRequest", Map.of("node", length(1, 253), "gpus", items(0, 64))),
          Map.entry("ListedGpuRequest", Map.of("gpu", length(1, 64), "serial", length(1, 64))),
          Map.entry(
              "HealthEventRequest",
              Map.of(
                  "id", length(1, 128),
                  "node", length(1, 253),
                  "gpu", length(1, 64),
                  "serial", length(1, 64),
                  "xid", range(1, 99_999),
                  "code", length(1, 64),
                  "message", length(0, 1024))),
          Map.entry("HealthRulePatch", Map.of("name", length(0, 120), "advice", length(0, 500))),
          Map.entry("SubmitJobsRequest", Map.of("items", items(1, 1000))),
          Map.entry(
              "RoleRequest",
              Map.of(
                  "name", label(20),
                  "count", range(1, MOST_MEMBERS),
                  "minCount", range(1, MOST_MEMBERS),
                  "image", length(1, 512),
                  "gpu", number("0", "1024"),
                  "cpu", number(LEAST_CPU, MOST_CPU),
                  "memory", number(LEAST_BYTES, MOST_BYTES),
                  "shm", number(LEAST_BYTES, MOST_BYTES))),
          Map.entry(
              "GpuRequest",
              Map.of(
                  "count", range(0, 1024),
                  "fraction", RequestBounds::part,
                  "memory", number(LEAST_BYTES, MOST_BYTES),
                  "minMemory", number(LEAST_BYTES, MOST_BYTES))),
          Map.entry("MigRequest", Map.of("count", range(1, 1024))),
          Map.entry(
              "PreemptionRequest",
              Map.of(
                  "gracePeriod",
                  duration(),
                  "minRuntime",
                  duration(),
                  "checkpointTimeout",
                  duration())),
          Map.entry("GangRepairRequest", Map.of("max", range(1, 100))),
          Map.entry("RetryRequest", Map.of("maxAttempts", range(1, 20))),
          Map.entry(
              "PatchJobRequest",
              Map.of(
                  "priorityClass", oneOf("low", "normal", "high", "urgent"),
                  "maxRuntime", duration(),
                  "workers", range(1, MOST_MEMBERS))),
          Map.entry("BulkCancelRequest", Map.of("expectedCount", range(0, 1000))));

  private RequestBounds() {}

  /** Adds the bounds of its fields to the schema of a request. */
  static void add(Schema<?> request) {
    Map<String, Consumer<Schema<?>>> bounds =
        BOUNDS.getOrDefault(String.valueOf(request.getName()), Map.of());
    request
        .getProperties()
        .forEach((name, field) -> bounds.getOrDefault(name, f -> {}).accept(field));
  }

  private static Consumer<Schema<?>> label(int longest) {
    return field -> field.pattern(LABEL).maxLength(longest);
  }

  private static Consumer<Schema<?>> duration() {
    return pattern(DURATION);
  }

  private static Consumer<Schema<?>> pattern(String pattern) {
    return field -> field.pattern(pattern);
  }

  private static Consumer<Schema<?>> length(int least, int most) {
    return field -> field.minLength(least).maxLength(most);
  }

  private static Consumer<Schema<?>> items(int least, int most) {
    return field -> field.minItems(least).maxItems(most);
  }

  private static Consumer<Schema<?>> range(long least, long most) {
    return field -> field.minimum(BigDecimal.valueOf(least)).maximum(BigDecimal.valueOf(most));
  }

  /** Bounds of a number, for a field that is a number or a text. */
  private static Consumer<Schema<?>> number(String least, String most) {
    return field ->
        field.getOneOf().stream()
            .filter(form -> form.getTypes() != null)
            .filter(
                form -> form.getTypes().contains("integer") || form.getTypes().contains("number"))
            .forEach(form -> form.minimum(new BigDecimal(least)).maximum(new BigDecimal(most)));
  }

  private static void weight(Schema<?> field) {
    range(0, 1000).accept(field);
    field.multipleOf(new BigDecimal("0.001"));
  }

  private static void part(Schema<?> field) {
    field.minimum(new BigDecimal("0.01")).maximum(new BigDecimal("0.99"));
    field.multipleOf(new BigDecimal("0.001"));
  }

  /** A nullable field retains null among its values. */
  @SuppressWarnings("unchecked")
  private static Consumer<Schema<?>> oneOf(String... values) {
    return field -> {
      List<Object> allowed = new ArrayList<>(List.of((Object[]) values));
      if (field.getTypes() != null && field.getTypes().contains("null")) {
        allowed.add(null);
      }
      ((Schema<Object>) field).setEnum(allowed);
    };
  }
}
