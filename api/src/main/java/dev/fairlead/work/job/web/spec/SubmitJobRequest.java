package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.web.spi.JobTemplates;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A job spec as submitted. It documents the fields that {@link JobSpecReader} reads, and a test
 * compares both. A requested amount is a minimum, never an exact match.
 *
 * @param name DNS label of at most 40 characters that no other active job of the project has
 * @param queue name of the queue
 * @param priorityClass priority class: low, normal, high or urgent
 * @param image container image, or none for a program on a node of a Slurm cluster, required unless
 *     every role has its own
 * @param run text for a shell, or a list of words. A launcher adds its own arguments before them
 * @param command entry point instead of run
 * @param args arguments of command
 * @param setup shell commands that run before the program in its container: one text, or a list.
 *     The first command that fails ends the attempt. Needs run or command
 * @param env environment variables: names of letters, digits and _, 64 KiB in all
 * @param secretEnv environment variables from secrets of the project, by name of the variable
 * @param workers number of equal members, 1 to 10,000
 * @param minWorkers minimum number of workers. A job with fewer minWorkers than workers is elastic
 * @param roles members of different kinds, instead of workers and the resource fields
 * @param gpu GPUs of each member: a number, MODEL:NUMBER, or an object
 * @param cpu CPU cores of each member
 * @param memory memory of each member
 * @param shm size of /dev/shm of each member
 * @param rdma whether members run on nodes with an RDMA fabric
 * @param topology level at which all members stay together: a level, prefer and a level, or an
 *     object
 * @param segment groups of members that stay inside one domain of a level
 * @param spread maximum number of members in one domain of a level
 * @param jobClass class of the job for avoidClasses of other jobs
 * @param avoidClasses classes of jobs that may not run on the same node
 * @param numa REQUIRED and PREFERRED: CPUs and GPUs of a member come from one NUMA node
 * @param placement allowed and preferred places of the job
 * @param launcher name of a launcher, such as torchrun, deepspeed, jax or mpi. GET /launchers lists
 *     them
 * @param volumes volumes, claims and secrets that all members mount
 * @param maxRuntime maximum run time of an attempt
 * @param notBefore time before which the job does not start
 * @param deadline latest end of the job: a waiting job fails once it can no longer end in time, and
 *     a running job is stopped at the deadline
 * @param dependsOn jobs that have to meet a condition before this job starts: names of jobs of the
 *     project, ids of jobs, or objects. A name means the active job, or the only ended job of the
 *     name. In a batch it may be an earlier item
 * @param onDependencyFailure rule for a job of dependsOn that ends without meeting its condition:
 *     the job fails with DEPENDENCY_FAILED (with the condition FAILED it is cancelled with
 *     SKIPPED), or stays queued
 * @param preemption whether and how the job may be stopped for other jobs
 * @param retry number of attempts, and the failures after which the job is tried again
 * @param onUnreachable rule for an attempt on a cluster or node that is unreachable
 * @param array indexes of the elements, and after % the number of elements that run at the same
 *     time
 * @param licences number of each licence that an attempt holds from its start to its end
 * @param labels at most 32 labels, which filters of lists can select
 * @param annotations at most 32: names below sim.fairlead.dev/, trace.fairlead.dev/parent,
 *     fluentbit.io/exclude and fluentbit.io/parser
 * @param preflight health test that the nodes of the job pass before it starts there
 * @param progress maximum time without a progress report, after which a running attempt counts as
 *     hung
 * @param gangRepair replacement of a member after a fault, while the other members continue to run.
 *     Needs a gang of fixed size and a launcher that replaces members, such as torchrun
 * @param workdir code that is unpacked in /workdir, the working directory of the program
 * @param outputs names of at most 32 small values that the program may report, for people, scripts
 *     and dependent jobs
 * @param cloudIdentity name of the cloud identity that the program has, so that it reaches an
 *     object store without a static key
 * @param rayPool name of a Ray pool of the project. The program is the driver, which uses a Ray
 *     cluster of the pool
 * @param initContainers containers that end before the program of each member starts, one after the
 *     other
 * @param sidecars containers that start before the program of each member and are stopped after it
 * @param template template that fills the job. Other fields of the job change fields of the
 *     template that are not locked
 */
@Schema(name = "SubmitJobRequest")
public record SubmitJobRequest(
    @Nullable String name,
    @Nullable String queue,
    @Nullable String priorityClass,
    @Nullable String image,
    @Schema(types = {"string", "array"}) @Nullable Object run,
    @Nullable List<String> command,
    @Nullable List<String> args,
    @Schema(types = {"string", "array"}) @Nullable Object setup,
    @Nullable Map<String, String> env,
    @Nullable Map<String, RoleSpec.SecretKey> secretEnv,
    @Nullable Integer workers,
    @Nullable Integer minWorkers,
    @Nullable List<Role> roles,
    @Schema(oneOf = {Integer.class, String.class, Gpu.class}) @Nullable Object gpu,
    @Schema(oneOf = {BigDecimal.class, String.class}) @Nullable Object cpu,
    @Schema(oneOf = {Long.class, String.class}) @Nullable Object memory,
    @Schema(oneOf = {Long.class, String.class}) @Nullable Object shm,
    @Nullable Boolean rdma,
    @Schema(oneOf = {String.class, Topology.class}) @Nullable Object topology,
    PlacementSpec.@Nullable Segment segment,
    PlacementSpec.@Nullable Spread spread,
    @JsonProperty("class") @Nullable String jobClass,
    @Nullable List<String> avoidClasses,
    PlacementSpec.@Nullable Numa numa,
    @Nullable Placement placement,
    @Nullable String launcher,
    @Nullable List<Volume> volumes,
    @Nullable String maxRuntime,
    @Nullable Instant notBefore,
    @Nullable Instant deadline,
    @ArraySchema(schema = @Schema(oneOf = {String.class, Dependency.class}))
        @Nullable List<Object> dependsOn,
    JobSpec.@Nullable OnDependencyFailure onDependencyFailure,
    @Nullable Preemption preemption,
    @Nullable Retry retry,
    JobSpec.@Nullable OnUnreachable onUnreachable,
    @Nullable String array,
    @Nullable Map<String, Integer> licences,
    @Nullable Map<String, String> labels,
    @Nullable Map<String, String> annotations,
    @Nullable Preflight preflight,
    @Nullable Progress progress,
    @Nullable GangRepair gangRepair,
    @Nullable Workdir workdir,
    @Nullable List<String> outputs,
    @Nullable String cloudIdentity,
    @Nullable String rayPool,
    @Nullable List<Container> initContainers,
    @Nullable List<Container> sidecars,
    @Nullable Template template) {
  /** Names of the fields of a spec, without the template. */
  public static SortedSet<String> fields() {
    SortedSet<String> names = new TreeSet<>();
    for (RecordComponent component : SubmitJobRequest.class.getRecordComponents()) {
      JsonProperty other = component.getAccessor().getAnnotation(JsonProperty.class);
      names.add(other == null ? component.getName() : other.value());
    }
    names.remove(JobTemplates.FIELD);
    return names;
  }

  /**
   * A template of the project or its tenant, and values of its parameters.
   *
   * @param name name of the template
   * @param version version of the template, the current one when absent
   * @param parameters texts, numbers and booleans by name of the parameter
   */
  @Schema(name = "JobTemplateRequest")
  record Template(
      String name,
      @Nullable Integer version,
      @Schema(additionalProperties = Schema.AdditionalPropertiesValue.TRUE)
          @Nullable Map<String, Object> parameters) {}

  /**
   * Many specs.
   *
   * @param items specs, 1 to 1,000
   * @param atomic whether all specs are stored or none, false by default
   */
  @Schema(name = "SubmitJobsRequest")
  public record Batch(List<SubmitJobRequest> items, @Nullable Boolean atomic) {}

  /**
   * Equal members of a job. An absent field has the value of the job.
   *
   * @param name DNS label that no other role of the job has
   * @param count number of members
   * @param minCount minimum number of members. A role with a minCount below count is elastic
   * @param image container image
   * @param run text for a shell, or a list of words
   * @param command entry point instead of run
   * @param args arguments of command
   * @param setup shell commands that run before the program in its container
   * @param env additional environment variables
   * @param gpu GPUs of each member: a number, MODEL:NUMBER, or an object
   * @param cpu CPU cores of each member
   * @param memory memory of each member
   * @param shm size of /dev/shm of each member
   * @param topology level at which the members of the role stay together
   * @param initContainers containers that end before the program starts
   * @param sidecars containers that run with the program
   */
  @Schema(name = "RoleRequest")
  record Role(
      String name,
      @Nullable Integer count,
      @Nullable Integer minCount,
      @Nullable String image,
      @Schema(types = {"string", "array"}) @Nullable Object run,
      @Nullable List<String> command,
      @Nullable List<String> args,
      @Schema(types = {"string", "array"}) @Nullable Object setup,
      @Nullable Map<String, String> env,
      @Schema(oneOf = {Integer.class, String.class, Gpu.class}) @Nullable Object gpu,
      @Schema(oneOf = {BigDecimal.class, String.class}) @Nullable Object cpu,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object memory,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object shm,
      @Schema(oneOf = {String.class, Topology.class}) @Nullable Object topology,
      @Nullable List<Container> initContainers,
      @Nullable List<Container> sidecars) {}

  /**
   * An init container or a sidecar. It has no GPU.
   *
   * @param name DNS label that no other container of the member has, not main or workdir
   * @param image container image
   * @param run text for a shell, or a list of words
   * @param command entry point instead of run
   * @param args arguments of command
   * @param env environment variables
   * @param cpu CPU cores
   * @param memory memory
   * @param port TCP port that a sidecar opens before the program starts. Init containers have none
   * @param mounts mount paths of volumes, /workdir, /tmp or /dev/shm of the program that the
   *     container has too
   */
  @Schema(name = "ContainerRequest")
  record Container(
      String name,
      String image,
      @Schema(types = {"string", "array"}) @Nullable Object run,
      @Nullable List<String> command,
      @Nullable List<String> args,
      @Nullable Map<String, String> env,
      @Schema(oneOf = {BigDecimal.class, String.class}) @Nullable Object cpu,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object memory,
      @Nullable Integer port,
      @Nullable List<String> mounts) {}

  /**
   * GPUs of a member. Exactly one of count, fraction, memory and mig is required.
   *
   * @param model one GPU model, or several in order of preference
   * @param count number of whole GPUs
   * @param fraction part of one GPU, 0.01 to 0.99
   * @param memory GPU memory of the member on a shared GPU
   * @param mig MIG slices: a profile, or an object
   * @param minMemory minimum memory of each GPU
   */
  @Schema(name = "GpuRequest")
  record Gpu(
      @Schema(types = {"string", "array"}) @Nullable Object model,
      @Nullable Integer count,
      @Nullable BigDecimal fraction,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object memory,
      @Schema(oneOf = {String.class, Mig.class}) @Nullable Object mig,
      @Schema(oneOf = {Long.class, String.class}) @Nullable Object minMemory) {}

  /**
   * MIG slices of a member.
   *
   * @param profile MIG profile
   * @param count number of slices
   */
  @Schema(name = "MigRequest")
  record Mig(String profile, @Nullable Integer count) {}

  /**
   * Members together inside one domain of a level.
   *
   * @param level level of the topology
   * @param mode REQUIRED: the job waits for such a domain. PREFERRED: the job starts without it
   */
  @Schema(name = "TopologyRequest")
  record Topology(String level, TopologySpec.@Nullable Mode mode) {}

  /**
   * Allowed places of a job. List order is order of preference.
   *
   * @param clusters names of clusters
   * @param pools names of pools. A gang runs inside one pool
   * @param capacity capacity types
   * @param waits time that the job waits for better capacity before it uses a capacity type, by
   *     type
   * @param nodeLabels labels that nodes have, by key
   * @param maxPricePerGpuHour highest price of a GPU-hour by the price book at the start. Needs
   *     currency. The limit does not apply to reserved capacity, and capacity without a price is
   *     not used
   * @param maxCost highest cost of the job, or of an element of an array, at full size for
   *     maxRuntime by the prices at the start. Needs maxRuntime and currency. The limit does not
   *     apply to reserved capacity, and capacity without a price is not used
   * @param currency currency of maxPricePerGpuHour and maxCost as ISO 4217
   * @param near terms that need a matching job in the domain of each member, at most 8. A job that
   *     matches its own term may be the first
   * @param away terms that allow no matching job in the domain of a member, at most 8. Matching
   *     jobs do not start there later either
   */
  @Schema(name = "PlacementRequest")
  record Placement(
      @Nullable List<String> clusters,
      @Nullable List<String> pools,
      @Nullable List<CapacityType> capacity,
      @JsonProperty("wait") @Nullable Map<CapacityType, String> waits,
      @Nullable Map<String, String> nodeLabels,
      @Nullable BigDecimal maxPricePerGpuHour,
      @Nullable BigDecimal maxCost,
      @Nullable String currency,
      @Nullable List<JobTerm> near,
      @Nullable List<JobTerm> away) {}

  /**
   * Other jobs of the same project, in a domain of the topology. Elements of an array count as
   * separate jobs, and members of one job do not count.
   *
   * @param jobs labels of the jobs, 1 to 8. A job must have all of them
   * @param within level of the topology, such as rack: host for a node, cluster for the whole
   *     cluster
   */
  @Schema(name = "JobTermRequest")
  record JobTerm(Map<String, String> jobs, @Nullable String within) {}

  /**
   * A volume of the project, an existing claim of its namespace, or a secret of the project.
   * Exactly one of the three is required.
   *
   * @param claim name of a PersistentVolumeClaim in the namespace of the project
   * @param secret name of a secret of the project. Each key becomes a file
   * @param volume name of a volume of the project
   * @param mountPath absolute path in the container
   * @param readOnly whether the program can only read it
   */
  @Schema(name = "VolumeRequest")
  record Volume(
      @Nullable String claim,
      @Nullable String secret,
      @Nullable String volume,
      String mountPath,
      @Nullable Boolean readOnly) {}

  /**
   * Another job that must meet a condition first.
   *
   * @param job name of a job of the project, or id of a job
   * @param condition required progress: STARTED, SUCCEEDED, FAILED, or ENDED in any way
   * @param perElement whether each element of the array waits only for the element of the same
   *     index of that job, an array with the same number of elements
   */
  @Schema(name = "DependencyRequest")
  record Dependency(
      String job, JobSpec.Dependency.@Nullable Condition condition, @Nullable Boolean perElement) {}

  /**
   * Whether and how a job may be stopped for other jobs.
   *
   * @param allowed whether attempts of the job may be stopped
   * @param gracePeriod time between SIGTERM and SIGKILL
   * @param minRuntime time after the start of an attempt during which it is not stopped
   * @param checkpointTimeout time for a checkpoint before the job is stopped, 1s to 1h
   */
  @Schema(name = "PreemptionRequest")
  record Preemption(
      @Nullable Boolean allowed,
      @Nullable String gracePeriod,
      @Nullable String minRuntime,
      @Nullable String checkpointTimeout) {}

  /**
   * A health test of the nodes that are reserved for the job.
   *
   * @param test name of a health test
   * @param timeout maximum time to wait for the test of a node, 1m to 24h
   * @param onUntested rule for a node that was not tested in time
   */
  @Schema(name = "PreflightRequest")
  record Preflight(
      String test, @Nullable String timeout, PreflightSpec.@Nullable OnUntested onUntested) {}

  /**
   * Maximum time without a progress report from a running attempt, or without activity.
   *
   * @param timeout maximum time between two reports, or since the last activity, 1m to 24h
   * @param onTimeout RETRY replaces an attempt without a report, which hangs. SUSPEND suspends a
   *     job of one member that reports no activity
   */
  @Schema(name = "ProgressRequest")
  record Progress(String timeout, ProgressSpec.@Nullable OnTimeout onTimeout) {}

  /**
   * Replacement of members after faults.
   *
   * @param max maximum number of replaced members of one attempt, 1 to 100
   */
  @Schema(name = "GangRepairRequest")
  record GangRepair(int max) {}

  /**
   * Code of a job, uploaded to the project beforehand.
   *
   * @param digest SHA-256 of the archive: sha256: and 64 hexadecimal digits
   */
  @Schema(name = "WorkdirRequest")
  record Workdir(String digest) {}

  /**
   * Number of attempts of a job.
   *
   * @param maxAttempts number of attempts in all, 1 to 20
   * @param on failure causes after which another attempt follows
   */
  @Schema(name = "RetryRequest")
  record Retry(@Nullable Integer maxAttempts, @Nullable List<FailureCause> on) {}
}
