package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.SharePolicy;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A new quota node. */
@Schema(name = "QuotaRequest")
record QuotaRequest(
    @Schema(description = "DNS label, unique in the tenant") String name,
    @Schema(description = "Name of an inner node. A root when absent") @Nullable String parent,
    @Schema(description = "Weight among siblings, 0 to 1000. Default: 1")
        @Nullable BigDecimal weight,
    @Schema(description = "Limits of the node. Without entries, the node is not limited")
        @Nullable List<QuotaResponse.LimitResponse> limits,
    @Schema(
            description = "Rules for evictions caused by its jobs. No evictions when absent",
            implementation = Preemption.class)
        @Nullable PreemptionRules preemption,
    @Schema(
            description = "Settings of a queue. An inner node when absent",
            implementation = Queue.class)
        QuotaResponse.@Nullable QueueResponse queue,
    @Schema(description = "How children share resources. Default: DOMINANT_SHARE")
        @Nullable SharePolicy sharePolicy,
    @Schema(
            description =
                "Half-life of past use, 1m to 365d: past use counts when children, or users"
                    + " of a queue with fairByUser, take turns. Only current use counts when"
                    + " absent")
        @Nullable String usageHalfLife) {
  /** The changed fields. A value replaces the current one, and null removes it. */
  @Schema(name = "PatchQuotaRequest")
  record Patch(
      @Nullable BigDecimal weight,
      @Nullable List<QuotaResponse.LimitResponse> limits,
      @Schema(implementation = Preemption.class) @Nullable PreemptionRules preemption,
      @Schema(implementation = Queue.class) QuotaResponse.@Nullable QueueResponse queue,
      @Nullable SharePolicy sharePolicy,
      @Nullable String usageHalfLife) {}

  /** Rules for the search of victims. NEVER and false when absent. */
  @Schema(name = "PreemptionRulesRequest")
  record Preemption(
      PreemptionRules.@Nullable WithinQueue withinQueue,
      PreemptionRules.@Nullable Reclaim reclaim,
      @Nullable Boolean fairShare,
      @Schema(
              description =
                  "Whether a job that borrows may evict victims in other queues. Requires"
                      + " reclaim, excludes fairShare")
          PreemptionRules.@Nullable WhileBorrowing whileBorrowing,
      @Schema(
              description =
                  "Highest priority of those victims. When absent, only the job's own"
                      + " priority is the limit")
          @Nullable Integer maxVictimPriority) {}

  /** Settings of a queue. BEST_EFFORT_FIFO and ACTIVE when absent. */
  @Schema(name = "QueueRequest")
  record Queue(
      QueueSettings.@Nullable Order order,
      QueueSettings.@Nullable State state,
      @Nullable String defaultMaxRuntime,
      @Schema(
              description =
                  "Whether jobs of the same priority are ordered by their user's use"
                      + " in the queue, least first, and then by age. Default: false")
          @Nullable Boolean fairByUser,
      @Schema(description = "Rules for trying the next flavor", implementation = Fallback.class)
          @Nullable FlavorFallback flavorFallback,
      @Schema(
              description =
                  "Tiers of capacity for its jobs. All nodes immediately when" + " absent",
              implementation = RoutingResponse.Given.class)
          @Nullable RoutingResponse routing,
      @Schema(
              description = "Limits of each user's concurrent use. No limit when absent",
              implementation = Users.class)
          QuotaResponse.@Nullable UserLimitsResponse userLimits,
      @Schema(
              description = "Limits of each project's concurrent use. No limit when absent",
              implementation = Runs.class)
          QuotaResponse.@Nullable RunLimitsResponse projectLimits,
      @Schema(
              description =
                  "Limits of the concurrent use of all jobs in the queue. No limit when"
                      + " absent",
              implementation = Runs.class)
          QuotaResponse.@Nullable RunLimitsResponse queueLimits,
      @Schema(
              description =
                  "Names of the projects that may submit to it. All projects of the tenant"
                      + " when absent")
          @Nullable List<String> projects,
      @Schema(
              description =
                  "Names of at most 8 admission checks. Each start of its jobs waits until all of"
                      + " them are READY. None when absent")
          @Nullable List<String> checks) {}

  /** Jobs over a limit wait with the reason QUEUE_LIMIT. Jobs within the limit pass them. */
  @Schema(name = "RunLimitsRequest")
  record Runs(
      @Schema(
              description =
                  "Running and starting jobs, each array element counted separately, 0 to"
                      + " 1000000")
          @Nullable Integer running,
      @Schema(description = "GPUs requested by these jobs, 0 to 1000000") @Nullable Integer gpus,
      @Schema(
              description =
                  "GPU-minutes that these jobs may still use until their maxRuntime, 0 to"
                      + " 1000000000")
          @Nullable Integer gpuMinutes) {}

  /** Jobs over a limit wait with the reason USER_LIMIT. Jobs of other users pass them. */
  @Schema(name = "UserLimitsRequest")
  record Users(
      @Schema(
              description =
                  "Running and starting jobs, each array element counted separately, 0 to"
                      + " 1000000")
          @Nullable Integer running,
      @Schema(description = "GPUs requested by these jobs, 0 to 1000000") @Nullable Integer gpus,
      @Schema(
              description =
                  "Waiting jobs, each array counted as one, 0 to 1000000. Further jobs are"
                      + " refused")
          @Nullable Integer queued,
      @Schema(
              description =
                  "GPU-minutes that running jobs may still use until their maxRuntime, 0 to"
                      + " 1000000000")
          @Nullable Integer gpuMinutes) {}

  /** Values of Kueue's flavor fungibility. BORROW, TRY_NEXT_FLAVOR and BORROWING when absent. */
  @Schema(name = "FlavorFallbackRequest")
  record Fallback(
      @Schema(description = "TRY_NEXT_FLAVOR: flavors without borrowing are tried first")
          FlavorFallback.@Nullable WhenCanBorrow whenCanBorrow,
      @Schema(description = "PREEMPT: jobs are evicted before the next flavor is tried")
          FlavorFallback.@Nullable WhenCanPreempt whenCanPreempt,
      @Schema(description = "Preference between flavors when both settings try the next flavor")
          FlavorFallback.@Nullable Preference preference) {}
}
