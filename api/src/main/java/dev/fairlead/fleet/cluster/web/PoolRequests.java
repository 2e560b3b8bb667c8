package dev.fairlead.fleet.cluster.web;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pools as they are written. */
interface PoolRequests {
  /** A pool to be created. */
  @Schema(name = "CreatePoolRequest")
  record Create(
      @Schema(description = "DNS label of at most 40 characters") String name,
      @Schema(
              description =
                  "Name of the only tenant whose jobs its nodes accept; shared by default")
          @Nullable String tenant,
      Selector selector,
      @Schema(description = "For people, at most 200 characters") @Nullable String description,
      @Schema(
              description =
                  "Number of its nodes reserved for gangs that lose a node to a fault; none by default",
              example = "1 per 32")
          @Nullable String spares,
      @Schema(description = "When its nodes take work, at most 16; always when absent")
          @Nullable List<Window> windows,
      @Schema(
              description =
                  "What becomes of work that still runs when they close: EVICT (the default),"
                      + " EXTEND_UP_TO overrunLimit, or FINISH",
              allowableValues = {"EVICT", "EXTEND_UP_TO", "FINISH"})
          @Nullable String overrun,
      @Schema(description = "Maximum extension with EXTEND_UP_TO, at most 31d", example = "30m")
          @Nullable String overrunLimit,
      @Schema(
              description =
                  "With FINISH: how long before the close only work starts that ends in time; at"
                      + " most 31d",
              example = "2h")
          @Nullable String windowLead) {}

  /** What may change of a pool. */
  @Schema(name = "UpdatePoolRequest")
  record Update(
      @Schema(description = "Name of the owner; null makes it shared") @Nullable String tenant,
      @Nullable Selector selector,
      @Nullable String description,
      @Schema(description = "Such as 1 per 32; null reserves none", example = "1 per 32")
          @Nullable String spares,
      @Schema(description = "When its nodes take work, at most 16; always when absent")
          @Nullable List<Window> windows,
      @Schema(
              description =
                  "What becomes of work that still runs when they close: EVICT (the default),"
                      + " EXTEND_UP_TO overrunLimit, or FINISH",
              allowableValues = {"EVICT", "EXTEND_UP_TO", "FINISH"})
          @Nullable String overrun,
      @Schema(description = "Maximum extension with EXTEND_UP_TO, at most 31d", example = "30m")
          @Nullable String overrunLimit,
      @Schema(
              description =
                  "With FINISH: how long before the close only work starts that ends in time, or"
                      + " may be preempted; at most 31d",
              example = "2h")
          @Nullable String windowLead) {}

  /** A time that comes again and again. */
  @Schema(name = "PoolWindowRequest")
  record Window(
      @Schema(
              description =
                  "When it opens: minute, hour, day of month, month and day of week, as in"
                      + " crontab(5); once an hour at most",
              example = "0 22 * * 1-5")
          String cron,
      @Schema(
              description =
                  "How long it is open on the clock of its zone: whole minutes, at most 31d",
              example = "8h")
          String duration,
      @Schema(description = "Name of the IANA database", example = "Europe/Berlin")
          String timezone) {}

  /** Which nodes: those that meet every part that is given. */
  @Schema(name = "PoolSelectorRequest")
  record Selector(
      @Schema(description = "Names of clusters, any of them") @Nullable List<String> clusters,
      @Schema(description = "GPU models, any of them") @Nullable List<String> models,
      @Schema(description = "Labels of nodes, all of them")
          @Nullable Map<String, String> matchLabels,
      @Schema(description = "Further conditions on labels, all of them")
          @Nullable List<Requirement> matchExpressions) {}

  /** One condition on a label, as in selectors of Kubernetes. */
  @Schema(name = "PoolRequirementRequest")
  record Requirement(
      String key,
      @Schema(allowableValues = {"In", "NotIn", "Exists", "DoesNotExist"}) String operator,
      @Nullable List<String> values) {}
}
