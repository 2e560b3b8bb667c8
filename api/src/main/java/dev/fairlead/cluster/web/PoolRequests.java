package dev.fairlead.cluster.web;

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
                  "Name of the tenant whose jobs alone its nodes take; shared when absent")
          @Nullable String tenant,
      Selector selector,
      @Schema(description = "For people, at most 200 characters") @Nullable String description,
      @Schema(
              description =
                  "How many of its nodes are kept for gangs that lose one to a fault; none when absent",
              example = "1 per 32")
          @Nullable String spares) {}

  /** What may change of a pool. */
  @Schema(name = "UpdatePoolRequest")
  record Update(
      @Schema(description = "Name of the owner; null makes it shared") @Nullable String tenant,
      @Nullable Selector selector,
      @Nullable String description,
      @Schema(description = "Such as 1 per 32; null keeps none", example = "1 per 32")
          @Nullable String spares) {}

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
