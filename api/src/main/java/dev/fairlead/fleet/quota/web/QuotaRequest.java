package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.SharePolicy;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A quota node to be created. */
@Schema(name = "QuotaRequest")
record QuotaRequest(
    @Schema(description = "DNS label, unique in the tenant") String name,
    @Schema(description = "Name of an inner node; absent for a root") @Nullable String parent,
    @Schema(description = "Share among siblings, 0 to 1000; 1 when absent")
        @Nullable BigDecimal weight,
    @Schema(description = "None = not limited here")
        @Nullable List<QuotaResponse.LimitResponse> limits,
    @Schema(
            description = "Work that may be evicted for its jobs; nothing by default",
            implementation = Preemption.class)
        @Nullable PreemptionRules preemption,
    @Schema(
            description = "Makes it a queue; absent for an inner node",
            implementation = Queue.class)
        QuotaResponse.@Nullable QueueResponse queue,
    @Schema(description = "How its children take turns; DOMINANT_SHARE when absent")
        @Nullable SharePolicy sharePolicy,
    @Schema(
            description =
                "Half-life of past usage in the order of its children, or of the users of a queue with fairByUser, 1m to "
                    + "365d; by default only present usage counts")
        @Nullable String usageHalfLife) {
  /** What changes: what is given replaces, null removes. */
  @Schema(name = "PatchQuotaRequest")
  record Patch(
      @Nullable BigDecimal weight,
      @Nullable List<QuotaResponse.LimitResponse> limits,
      @Schema(implementation = Preemption.class) @Nullable PreemptionRules preemption,
      @Schema(implementation = Queue.class) QuotaResponse.@Nullable QueueResponse queue,
      @Nullable SharePolicy sharePolicy,
      @Nullable String usageHalfLife) {}

  /** Rules for finding victims; NEVER and false when absent. */
  @Schema(name = "PreemptionRulesRequest")
  record Preemption(
      PreemptionRules.@Nullable WithinQueue withinQueue,
      PreemptionRules.@Nullable Reclaim reclaim,
      @Nullable Boolean fairShare,
      @Schema(
              description =
                  "Victims in other queues for a job that borrows itself; needs reclaim, not with"
                      + " fairShare")
          PreemptionRules.@Nullable WhileBorrowing whileBorrowing,
      @Schema(description = "Highest priority of those victims; absent = the job's own alone")
          @Nullable Integer maxVictimPriority) {}

  /** Settings of a queue; BEST_EFFORT_FIFO and ACTIVE when absent. */
  @Schema(name = "QueueRequest")
  record Queue(
      QueueSettings.@Nullable Order order,
      QueueSettings.@Nullable State state,
      @Nullable String defaultMaxRuntime,
      @Schema(
              description =
                  "Jobs of one priority go by how little their user has in the queue, before age;"
                      + " false when absent")
          @Nullable Boolean fairByUser,
      @Schema(description = "When a job tries its next flavor", implementation = Fallback.class)
          @Nullable FlavorFallback flavorFallback,
      @Schema(
              description = "Capacity tiers of its jobs; all nodes by default",
              implementation = RoutingResponse.Given.class)
          @Nullable RoutingResponse routing,
      @Schema(
              description = "Maximum for each user at the same time; no limit by default",
              implementation = Users.class)
          QuotaResponse.@Nullable UserLimitsResponse userLimits,
      @Schema(
              description =
                  "Maximum for the jobs of each project at the same time; no limit by default",
              implementation = Runs.class)
          QuotaResponse.@Nullable RunLimitsResponse projectLimits,
      @Schema(
              description =
                  "Maximum for all jobs of the queue at the same time; no limit by default",
              implementation = Runs.class)
          QuotaResponse.@Nullable RunLimitsResponse queueLimits,
      @Schema(
              description =
                  "Names of the projects that may submit to it; absent = all of the tenant")
          @Nullable List<String> projects) {}

  /** Jobs over a limit wait with the reason QUEUE_LIMIT; jobs that are within it pass them. */
  @Schema(name = "RunLimitsRequest")
  record Runs(
      @Schema(description = "Jobs that run or start, array elements each, 0 to 1000000")
          @Nullable Integer running,
      @Schema(description = "GPUs that these ask for, 0 to 1000000") @Nullable Integer gpus,
      @Schema(
              description =
                  "GPU-minutes that these may still use until their maxRuntime, 0 to 1000000000")
          @Nullable Integer gpuMinutes) {}

  /** Jobs over a limit wait with the reason USER_LIMIT; jobs of other users pass them. */
  @Schema(name = "UserLimitsRequest")
  record Users(
      @Schema(description = "Jobs that run or start, array elements each, 0 to 1000000")
          @Nullable Integer running,
      @Schema(description = "GPUs that these ask for, 0 to 1000000") @Nullable Integer gpus,
      @Schema(description = "Jobs that wait, each array as one, 0 to 1000000; more are refused")
          @Nullable Integer queued,
      @Schema(
              description =
                  "GPU-minutes that running jobs may still use until their maxRuntime, 0 to"
                      + " 1000000000")
          @Nullable Integer gpuMinutes) {}

  /** Values as of Kueue's flavor fungibility; BORROW, TRY_NEXT_FLAVOR, BORROWING when absent. */
  @Schema(name = "FlavorFallbackRequest")
  record Fallback(
      @Schema(
              description =
                  "TRY_NEXT_FLAVOR: flavors on which the queue need not borrow come first")
          FlavorFallback.@Nullable WhenCanBorrow whenCanBorrow,
      @Schema(description = "PREEMPT: jobs are evicted before the next flavor is tried")
          FlavorFallback.@Nullable WhenCanPreempt whenCanPreempt,
      @Schema(description = "Preference if both lead to the next flavor")
          FlavorFallback.@Nullable Preference preference) {}
}
