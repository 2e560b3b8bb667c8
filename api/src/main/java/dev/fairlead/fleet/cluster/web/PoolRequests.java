package dev.fairlead.fleet.cluster.web;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests that write pools. */
interface PoolRequests {
  /** A new pool. */
  @Schema(name = "CreatePoolRequest")
  record Create(
      @Schema(description = "DNS label of at most 40 characters") String name,
      @Schema(
              description =
                  "Name of the tenant with exclusive use of its nodes. Shared when absent")
          @Nullable String tenant,
      Selector selector,
      @Schema(description = "Description, at most 200 characters") @Nullable String description,
      @Schema(
              description =
                  "Number of spare nodes reserved for gangs that lose a node to a fault. None"
                      + " when absent",
              example = "1 per 32")
          @Nullable String spares,
      @Schema(description = "Windows when its nodes accept jobs, at most 16. Always when absent")
          @Nullable List<Window> windows,
      @Schema(
              description =
                  "Action on jobs that still run when a window closes: EVICT (default),"
                      + " EXTEND_UP_TO leftoverLimit, or FINISH",
              allowableValues = {"EVICT", "EXTEND_UP_TO", "FINISH"})
          @Nullable String leftoverPolicy,
      @Schema(
              description = "Maximum time that they may continue with EXTEND_UP_TO, at most 31d",
              example = "30m")
          @Nullable String leftoverLimit,
      @Schema(
              description =
                  "With FINISH: time before the close during which only jobs that end"
                      + " before the close may start, at most 31d",
              example = "2h")
          @Nullable String windowLead) {}

  /** The changeable fields of a pool. */
  @Schema(name = "UpdatePoolRequest")
  record Update(
      @Schema(description = "Name of the owner. Shared when null") @Nullable String tenant,
      @Nullable Selector selector,
      @Nullable String description,
      @Schema(
              description = "Number of spare nodes, such as 1 per 32. None when null",
              example = "1 per 32")
          @Nullable String spares,
      @Schema(description = "Windows when its nodes accept jobs, at most 16. Always when absent")
          @Nullable List<Window> windows,
      @Schema(
              description =
                  "Action on jobs that still run when a window closes: EVICT (default),"
                      + " EXTEND_UP_TO leftoverLimit, or FINISH",
              allowableValues = {"EVICT", "EXTEND_UP_TO", "FINISH"})
          @Nullable String leftoverPolicy,
      @Schema(
              description = "Maximum time that they may continue with EXTEND_UP_TO, at most 31d",
              example = "30m")
          @Nullable String leftoverLimit,
      @Schema(
              description =
                  "With FINISH: time before the close during which only preemptible jobs"
                      + " and jobs that end before the close may start, at most 31d",
              example = "2h")
          @Nullable String windowLead) {}

  /** A recurring window. */
  @Schema(name = "PoolWindowRequest")
  record Window(
      @Schema(
              description =
                  "Opening times: minute, hour, day of month, month and day of week, as in"
                      + " crontab(5), at most once an hour",
              example = "0 22 * * 1-5")
          String cron,
      @Schema(
              description =
                  "Duration of each opening by the clock of its time zone: whole minutes,"
                      + " at most 31d",
              example = "8h")
          String duration,
      @Schema(description = "Time zone by its IANA name", example = "Europe/Berlin")
          String timezone) {}

  /** Selects the nodes that match every given part. */
  @Schema(name = "PoolSelectorRequest")
  record Selector(
      @Schema(description = "Names of clusters. A node matches if it is on any of these clusters")
          @Nullable List<String> clusters,
      @Schema(description = "GPU models. A node matches if it has any of these models")
          @Nullable List<String> models,
      @Schema(description = "Node labels. A node must have all of these labels")
          @Nullable Map<String, String> matchLabels,
      @Schema(
              description =
                  "Further requirements on labels. A node must meet all of these expressions")
          @Nullable List<Requirement> matchExpressions) {}

  /** One requirement on a label, as in Kubernetes selectors. */
  @Schema(name = "PoolRequirementRequest")
  record Requirement(
      String key,
      @Schema(allowableValues = {"In", "NotIn", "Exists", "DoesNotExist"}) String operator,
      @Nullable List<String> values) {}
}
