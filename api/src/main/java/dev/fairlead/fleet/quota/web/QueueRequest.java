package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QueueSettingsBuilder;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.problem.ProblemCode;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/** Settings of a queue. BEST_EFFORT_FIFO and ACTIVE when absent. */
@Schema(name = "QueueRequest")
record QueueRequest(
    QueueSettings.@Nullable Order order,
    QueueSettings.@Nullable State state,
    @Schema(implementation = String.class) @DurationMin(seconds = 1) @DurationMax(days = 365)
        @Nullable Duration defaultMaxRuntime,
    @Schema(
            description =
                "Whether jobs of the same priority are ordered by their user's use"
                    + " in the queue, least first, and then by age. Default: false")
        @Nullable Boolean fairByUser,
    @Schema(description = "Rules for trying the next flavor") @Nullable Fallback flavorFallback,
    @Schema(description = "Tiers of capacity for its jobs. All nodes immediately when absent")
        @Nullable RoutingRequest routing,
    @Schema(description = "Limits of each user's concurrent use. No limit when absent")
        @Nullable Users userLimits,
    @Schema(description = "Limits of each project's concurrent use. No limit when absent")
        @Nullable Runs projectLimits,
    @Schema(
            description =
                "Limits of the concurrent use of all jobs in the queue. No limit when absent")
        @Nullable Runs queueLimits,
    @Schema(
            description =
                "Names of the projects that may submit to it. All projects of the tenant"
                    + " when absent")
        @Size(max = MOST_PROJECTS)
        @Nullable List<@DnsLabel String> projects,
    @Schema(
            description =
                "Names of at most 8 admission checks. Each start of its jobs waits until all of"
                    + " them are READY. None when absent")
        @Size(max = MOST_CHECKS)
        @Nullable List<@DnsLabel String> checks)
    implements RequestRules {
  private static final int MOST_PROJECTS = 1000;
  private static final int MOST_CHECKS = 8;
  private static final int MOST_AT_ONCE = 1_000_000;
  private static final int MOST_GPU_MINUTES = 1_000_000_000;
  private static final long GPU = 1000;

  @Override
  public void check(Fields given) {
    if (projects != null && projects.isEmpty()) {
      given.refuse(
          "projects",
          ProblemCode.INVALID_FIELD,
          "projects is empty, so no project could use the queue. Name a project, or remove "
              + "projects to allow all projects of the tenant.",
          null);
    }
  }

  QueueSettings settings() {
    return QueueSettingsBuilder.builder()
        .order(Objects.requireNonNullElse(order, QueueSettings.DEFAULT.order()))
        .state(Objects.requireNonNullElse(state, QueueSettings.DEFAULT.state()))
        .defaultMaxRuntime(defaultMaxRuntime)
        .fairByUser(Objects.requireNonNullElse(fairByUser, false))
        .flavorFallback(flavorFallback == null ? FlavorFallback.DEFAULT : flavorFallback.fallback())
        .routing(routing == null ? RoutingPolicy.NONE : routing.policy())
        .userLimits(userLimits == null ? UserLimits.NONE : userLimits.limits())
        .projectLimits(projectLimits == null ? RunLimits.NONE : projectLimits.limits())
        .queueLimits(queueLimits == null ? RunLimits.NONE : queueLimits.limits())
        .projects(projects)
        .checks(Objects.requireNonNullElse(checks, List.of()))
        .build();
  }

  /** Jobs over a limit wait with the reason QUEUE_LIMIT. Jobs within the limit pass them. */
  @Schema(name = "RunLimitsRequest")
  record Runs(
      @Schema(
              description =
                  "Running and starting jobs, each array element counted separately, 0 to"
                      + " 1000000")
          @Min(0)
          @Max(MOST_AT_ONCE)
          @Nullable Integer running,
      @Schema(description = "GPUs requested by these jobs, 0 to 1000000") @Min(0) @Max(MOST_AT_ONCE)
          @Nullable Integer gpus,
      @Schema(
              description =
                  "GPU-minutes that these jobs may still use until their maxRuntime, 0 to"
                      + " 1000000000")
          @Min(0)
          @Max(MOST_GPU_MINUTES)
          @Nullable Integer gpuMinutes) {
    private RunLimits limits() {
      return new RunLimits(running, milli(gpus), minutes(gpuMinutes));
    }
  }

  /** Jobs over a limit wait with the reason USER_LIMIT. Jobs of other users pass them. */
  @Schema(name = "UserLimitsRequest")
  record Users(
      @Schema(
              description =
                  "Running and starting jobs, each array element counted separately, 0 to"
                      + " 1000000")
          @Min(0)
          @Max(MOST_AT_ONCE)
          @Nullable Integer running,
      @Schema(description = "GPUs requested by these jobs, 0 to 1000000") @Min(0) @Max(MOST_AT_ONCE)
          @Nullable Integer gpus,
      @Schema(
              description =
                  "Waiting jobs, each array counted as one, 0 to 1000000. Further jobs are"
                      + " refused")
          @Min(0)
          @Max(MOST_AT_ONCE)
          @Nullable Integer queued,
      @Schema(
              description =
                  "GPU-minutes that running jobs may still use until their maxRuntime, 0 to"
                      + " 1000000000")
          @Min(0)
          @Max(MOST_GPU_MINUTES)
          @Nullable Integer gpuMinutes) {
    private UserLimits limits() {
      return new UserLimits(running, milli(gpus), queued, minutes(gpuMinutes));
    }
  }

  private static @Nullable Long milli(@Nullable Integer gpus) {
    return gpus == null ? null : Long.valueOf(gpus * GPU);
  }

  private static @Nullable Long minutes(@Nullable Integer minutes) {
    return minutes == null ? null : Long.valueOf(minutes);
  }

  /** Values of Kueue's flavor fungibility. BORROW, TRY_NEXT_FLAVOR and BORROWING when absent. */
  @Schema(name = "FlavorFallbackRequest")
  record Fallback(
      @Schema(description = "TRY_NEXT_FLAVOR: flavors without borrowing are tried first")
          FlavorFallback.@Nullable WhenCanBorrow whenCanBorrow,
      @Schema(description = "PREEMPT: jobs are evicted before the next flavor is tried")
          FlavorFallback.@Nullable WhenCanPreempt whenCanPreempt,
      @Schema(description = "Preference between flavors when both settings try the next flavor")
          FlavorFallback.@Nullable Preference preference) {
    private FlavorFallback fallback() {
      FlavorFallback absent = FlavorFallback.DEFAULT;
      return new FlavorFallback(
          Objects.requireNonNullElse(whenCanBorrow, absent.whenCanBorrow()),
          Objects.requireNonNullElse(whenCanPreempt, absent.whenCanPreempt()),
          Objects.requireNonNullElse(preference, absent.preference()));
    }
  }
}
