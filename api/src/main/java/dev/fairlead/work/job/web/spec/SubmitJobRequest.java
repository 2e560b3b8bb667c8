package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job spec as it may be written; the document of what {@link JobSpecReader} reads, compared with
 * it by a test. A requested amount is a minimum, never an exact match.
 */
@Schema(name = "SubmitJobRequest")
public record SubmitJobRequest(
    @Schema(
            description =
                "DNS label of at most 40 characters, unique among the project's active jobs; made"
                    + " from the id when absent")
        @Nullable String name,
    @Schema(description = "The project's default queue when absent") @Nullable String queue,
    @Schema(description = "One of low, normal (when absent), high or urgent")
        @Nullable String priorityClass,
    @Schema(description = "Container image; required unless every role has its own")
        @Nullable String image,
    @Schema(
            description =
                "A text for a shell, or a list of words. A launcher adds its own words before them",
            types = {"string", "array"})
        @Nullable Object run,
    @Schema(description = "Entry point, instead of run") @Nullable List<String> command,
    @Nullable List<String> args,
    @Schema(description = "Names of letters, digits and _; 64 KiB in all")
        @Nullable Map<String, String> env,
    @Schema(description = "Variables taken from secrets of the project")
        @Nullable Map<String, RoleSpec.SecretKey> secretEnv,
    @Schema(description = "Members, 1 to 10,000; 1 when absent") @Nullable Integer workers,
    @Schema(description = "Fewest that are worth starting; workers when absent")
        @Nullable Integer minWorkers,
    @Schema(description = "Instead of workers and the resource fields") @Nullable List<Role> roles,
    @Schema(
            description = "Per member: a number, model:number, or an object",
            oneOf = {Integer.class, String.class, Gpu.class})
        @Nullable Object gpu,
    @Schema(
            description = "Per member; 4 cores per GPU when absent, at least 1",
            oneOf = {BigDecimal.class, String.class})
        @Nullable Object cpu,
    @Schema(
            description = "Per member; 16Gi per GPU when absent, at least 2Gi",
            oneOf = {Long.class, String.class})
        @Nullable Object memory,
    @Schema(
            description = "Size of /dev/shm; 1Gi with a GPU, else 64Mi",
            oneOf = {Long.class, String.class})
        @Nullable Object shm,
    @Schema(description = "Asks for nodes with a fabric") @Nullable Boolean rdma,
    @Schema(
            description = "A level, prefer and a level, or an object",
            oneOf = {String.class, Topology.class})
        @Nullable Object topology,
    @Schema(description = "Groups of members inside one domain")
        PlacementSpec.@Nullable Segment segment,
    @Schema(description = "At most so many members in one domain")
        PlacementSpec.@Nullable Spread spread,
    @Schema(description = "For noisy neighbours: never on a node with a job of an avoided class")
        @JsonProperty("class")
        @Nullable String jobClass,
    @Nullable List<String> avoidClasses,
    PlacementSpec.@Nullable Numa numa,
    @Nullable Placement placement,
    @Schema(
            description =
                "Name of a launcher, such as torchrun, deepspeed, jax or mpi; GET /launchers lists them. Default: none")
        @Nullable String launcher,
    @Nullable List<Volume> volumes,
    @Schema(description = "For example 48h") @Nullable String maxRuntime,
    @Nullable Instant notBefore,
    @Schema(
            description =
                "When it has to be over: while it waits it fails as soon as it could no longer end"
                    + " by then (maxRuntime before it, or at it without one); while it runs it is"
                    + " stopped then")
        @Nullable Instant deadline,
    @ArraySchema(
            arraySchema =
                @Schema(
                    description =
                        "Names of jobs of this project or ids of jobs, or objects. Of jobs that"
                            + " share a name it is the active one, or the only one that ended; in a"
                            + " batch also an earlier item"),
            schema = @Schema(oneOf = {String.class, Dependency.class}))
        @Nullable List<Object> dependsOn,
    @Schema(
            description =
                "FAIL (when absent): the job fails with the cause DEPENDENCY_FAILED when a job of"
                    + " dependsOn ends without meeting its condition; WAIT: it stays queued")
        JobSpec.@Nullable OnDependencyFailure onDependencyFailure,
    @Nullable Preemption preemption,
    @Nullable Retry retry,
    JobSpec.@Nullable OnUnreachable onUnreachable,
    @Schema(description = "Elements and how many at once, for example 0-99%8")
        @Nullable String array,
    @Schema(
            description =
                "How many of each licence an attempt holds from its start to its end, for example"
                    + " {ansys: 2}; of an array each element")
        @Nullable Map<String, Integer> licences,
    @Schema(description = "At most 32, to be filtered by") @Nullable Map<String, String> labels,
    @Schema(description = "At most 32, below sim.fairlead.dev/ only, and trace.fairlead.dev/parent")
        @Nullable Map<String, String> annotations,
    @Schema(description = "A health test that the nodes of the job pass before it starts there")
        @Nullable Preflight preflight,
    @Schema(
            description =
                "An attempt that runs and does not say for so long that it gets on is stopped")
        @Nullable Progress progress,
    @Schema(
            description =
                "A member of a gang of fixed size that a fault takes is replaced while the others"
                    + " keep their places; with a launcher that can replace members, such as torchrun")
        @Nullable GangRepair gangRepair) {
  /** Many specs; {@code atomic}: all are stored or none. */
  @Schema(name = "SubmitJobsRequest")
  public record Batch(List<SubmitJobRequest> items, @Nullable Boolean atomic) {}

  /** Equal members; what is absent comes from the job. */
  @Schema(name = "RoleRequest")
  record Role(
      String name,
      @Nullable Integer count,
      @Nullable Integer minCount,
      @Nullable String image,
      @Schema(types = {"string", "array"}) @Nullable Object run,
      @Nullable List<String> command,
      @Nullable List<String> args,
      @Nullable Map<String, String> env,
      @Schema(oneOf = {Integer.class, String.class, Gpu.class}) @Nullable Object gpu,
      @Schema(oneOf = {BigDecimal.class, String.class}) @Nullable Object cpu,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object memory,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object shm,
      @Schema(oneOf = {String.class, Topology.class}) @Nullable Object topology) {}

  /** Exactly one of count, fraction (0.01 to 0.99), memory and mig. */
  @Schema(name = "GpuRequest")
  record Gpu(
      @Schema(types = {"string", "array"}) @Nullable Object model,
      @Nullable Integer count,
      @Nullable BigDecimal fraction,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object memory,
      @Schema(oneOf = {String.class, Mig.class}) @Nullable Object mig,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object minMemory) {}

  /** MIG slices, for example {@code 1g.10gb}. */
  @Schema(name = "MigRequest")
  record Mig(String profile, @Nullable Integer count) {}

  /** Members together inside one domain of a level; REQUIRED when absent. */
  @Schema(name = "TopologyRequest")
  record Topology(String level, TopologySpec.@Nullable Mode mode) {}

  /** Where it may run; order is preference. */
  @Schema(name = "PlacementRequest")
  record Placement(
      @Nullable List<String> clusters,
      @Schema(
              description =
                  "A gang runs inside one of them; none means all that the tenant may use")
          @Nullable List<String> pools,
      @Nullable List<CapacityType> capacity,
      @JsonProperty("wait") @Nullable Map<CapacityType, String> waits,
      @Nullable Map<String, String> nodeLabels,
      @Schema(
              description =
                  "Most that a GPU may cost an hour by the price book when the job starts; needs"
                      + " currency. Reserved capacity may cost anything, what has no price is not"
                      + " used")
          @Nullable BigDecimal maxPricePerGpuHour,
      @Schema(
              description =
                  "Most that the job, or an element of an array, may cost at its full size by"
                      + " maxRuntime, by the prices of its start; needs maxRuntime and currency."
                      + " Reserved capacity may cost anything, what has no price is not used")
          @Nullable BigDecimal maxCost,
      @Schema(description = "Of maxPricePerGpuHour and maxCost, ISO 4217")
          @Nullable String currency) {}

  /**
   * A volume of the project, an existing claim of its namespace, or a secret of it, each key a
   * file.
   */
  @Schema(name = "VolumeRequest")
  record Volume(
      @Nullable String claim,
      @Nullable String secret,
      @Nullable String volume,
      String mountPath,
      @Nullable Boolean readOnly) {}

  /** Another job that must have come so far first; SUCCEEDED when absent. */
  @Schema(name = "DependencyRequest")
  record Dependency(String job, JobSpec.Dependency.@Nullable Condition condition) {}

  /** What may interrupt it; by priority class when absent. */
  @Schema(name = "PreemptionRequest")
  record Preemption(
      @Nullable Boolean allowed,
      @Nullable String gracePeriod,
      @Nullable String minRuntime,
      @Schema(
              description =
                  "How long it may take to save its work when it is asked to, before it is told to"
                      + " end: 1s to 1h; absent: it is not asked")
          @Nullable String checkpointTimeout) {}

  /**
   * A health test of the nodes that are kept for the job; when one cannot be tested within the
   * timeout, the job starts there all the same, or waits.
   */
  @Schema(name = "PreflightRequest")
  record Preflight(
      @Schema(description = "Name of a health test") String test,
      @Schema(description = "1m to 24h; 15m when absent") @Nullable String timeout,
      @Schema(description = "START when absent") PreflightSpec.@Nullable OnUntested onUntested) {}

  /** After how long without a call an attempt hangs. */
  @Schema(name = "ProgressRequest")
  record Progress(@Schema(description = "1m to 24h") String timeout) {}

  /** How many members of one attempt are replaced at most. */
  @Schema(name = "GangRepairRequest")
  record GangRepair(@Schema(description = "1 to 100") int max) {}

  /** Attempts in all, 1 to 20, and the causes after which another one follows. */
  @Schema(name = "RetryRequest")
  record Retry(@Nullable Integer maxAttempts, @Nullable List<FailureCause> on) {}
}
