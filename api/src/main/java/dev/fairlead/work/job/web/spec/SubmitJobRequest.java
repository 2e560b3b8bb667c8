package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.web.spi.JobTemplateRequest;
import dev.fairlead.work.job.web.spi.JobTemplates;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.spec.WorkdirSpec;
import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

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
    @DnsLabel(max = JobSpecReader.LONGEST_NAME) @Nullable String name,
    @DnsLabel @Nullable String queue,
    @Schema(allowableValues = {"low", "normal", "high", "urgent"}) @Nullable String priorityClass,
    @Size(min = 1, max = LONGEST_IMAGE) @Nullable String image,
    @Schema(types = {"string", "array"}) @Nullable Object run,
    @Nullable List<String> command,
    @Nullable List<String> args,
    @Schema(types = {"string", "array"}) @Nullable Object setup,
    @Nullable Map<String, String> env,
    @Nullable Map<String, RoleSpec.SecretKey> secretEnv,
    @Min(1) @Max(PlacementReader.MOST_MEMBERS) @Nullable Integer workers,
    @Min(1) @Max(PlacementReader.MOST_MEMBERS) @Nullable Integer minWorkers,
    @Size(min = 1, max = MOST_ROLES) @Nullable List<Role> roles,
    @Schema(
            oneOf = {Integer.class, String.class, GpuReader.Gpu.class},
            minimum = "0",
            maximum = "1024")
        @Nullable Object gpu,
    @Schema(
            oneOf = {BigDecimal.class, String.class},
            minimum = "0.001",
            maximum = "10000")
        @Nullable Object cpu,
    @Schema(
            oneOf = {Long.class, String.class},
            minimum = LEAST_BYTES,
            maximum = MOST_BYTES)
        @Nullable Object memory,
    @Schema(
            oneOf = {Long.class, String.class},
            minimum = LEAST_BYTES,
            maximum = MOST_BYTES)
        @Nullable Object shm,
    @Nullable Boolean rdma,
    @Schema(oneOf = {String.class, Topology.class}) @Nullable Object topology,
    PlacementSpec.@Nullable Segment segment,
    PlacementSpec.@Nullable Spread spread,
    @JsonProperty("class") @Nullable String jobClass,
    @Nullable List<String> avoidClasses,
    PlacementSpec.@Nullable Numa numa,
    @Nullable PlacementRequest placement,
    @DnsLabel(max = LONGEST_LAUNCHER) @Nullable String launcher,
    @Size(max = LifecycleReader.MOST_VOLUMES) @Nullable List<VolumeRequest> volumes,
    @Schema(implementation = String.class) @Nullable Duration maxRuntime,
    @Nullable Instant notBefore,
    @Nullable Instant deadline,
    @ArraySchema(schema = @Schema(oneOf = {String.class, DependencyRequest.class}))
        @Size(max = LifecycleReader.MOST_DEPENDENCIES)
        @Nullable List<Object> dependsOn,
    JobSpec.@Nullable OnDependencyFailure onDependencyFailure,
    @Nullable Preemption preemption,
    @Nullable Retry retry,
    JobSpec.@Nullable OnUnreachable onUnreachable,
    @Pattern(regexp = "^0-[0-9]{1,5}(%[0-9]{1,5})?$") @Nullable String array,
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
    @Nullable JobTemplateRequest template) {
  private static final int LONGEST_IMAGE = 512;
  private static final int LONGEST_LAUNCHER = 31;
  private static final int MOST_ROLES = 16;
  private static final int LONGEST_ROLE = 20;

  /** 4Mi: memory as a number is in bytes. */
  static final String LEAST_BYTES = "4194304";

  /** 1Pi. */
  static final String MOST_BYTES = "1125899906842624";

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
   * Many specs.
   *
   * @param items specs, 1 to 1,000
   * @param atomic whether all specs are stored or none, false by default
   */
  @Schema(name = "SubmitJobsRequest")
  public record Batch(
      @ArraySchema(schema = @Schema(implementation = SubmitJobRequest.class))
          @Size(min = 1, max = MOST_ITEMS)
          @JsonDeserialize(using = ItemsReader.class)
          List<Object> items,
      @Nullable Boolean atomic) {
    public static final int MOST_ITEMS = 1_000;

    public boolean all() {
      return Objects.requireNonNullElse(atomic, false);
    }
  }

  /** Reads the number of items. Each item is read alone, because its problems are its own. */
  static final class ItemsReader extends FieldReader<List<Object>> {
    @Override
    protected Optional<List<Object>> read(Value value) {
      return Optional.of(List.copyOf(value.someItems(Batch.MOST_ITEMS)));
    }
  }

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
      @DnsLabel(max = LONGEST_ROLE) String name,
      @Min(1) @Max(PlacementReader.MOST_MEMBERS) @Nullable Integer count,
      @Min(1) @Max(PlacementReader.MOST_MEMBERS) @Nullable Integer minCount,
      @Size(min = 1, max = LONGEST_IMAGE) @Nullable String image,
      @Schema(types = {"string", "array"}) @Nullable Object run,
      @Nullable List<String> command,
      @Nullable List<String> args,
      @Schema(types = {"string", "array"}) @Nullable Object setup,
      @Nullable Map<String, String> env,
      @Schema(
              oneOf = {Integer.class, String.class, GpuReader.Gpu.class},
              minimum = "0",
              maximum = "1024")
          @Nullable Object gpu,
      @Schema(
              oneOf = {BigDecimal.class, String.class},
              minimum = "0.001",
              maximum = "10000")
          @Nullable Object cpu,
      @Schema(
              oneOf = {Long.class, String.class},
              minimum = LEAST_BYTES,
              maximum = MOST_BYTES)
          @Nullable Object memory,
      @Schema(
              oneOf = {Long.class, String.class},
              minimum = LEAST_BYTES,
              maximum = MOST_BYTES)
          @Nullable Object shm,
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
      @Schema(
              oneOf = {BigDecimal.class, String.class},
              minimum = "0.001",
              maximum = "10000")
          @Nullable Object cpu,
      @Schema(
              oneOf = {Long.class, String.class},
              minimum = LEAST_BYTES,
              maximum = MOST_BYTES)
          @Nullable Object memory,
      @Nullable Integer port,
      @Nullable List<String> mounts) {}

  /**
   * Members together inside one domain of a level.
   *
   * @param level level of the topology
   * @param mode REQUIRED: the job waits for such a domain. PREFERRED: the job starts without it
   */
  @Schema(name = "TopologyRequest")
  record Topology(
      @Size(min = 1, max = Names.LONGEST_LABEL)
          @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
          String level,
      TopologySpec.@Nullable Mode mode) {
    TopologySpec spec() {
      return new TopologySpec(level, Objects.requireNonNullElse(mode, TopologySpec.Mode.REQUIRED));
    }
  }

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
      @Schema(implementation = String.class) @DurationMax(hours = 1) @Nullable Duration gracePeriod,
      @Schema(implementation = String.class) @DurationMax(days = 365) @Nullable Duration minRuntime,
      @Schema(implementation = String.class) @DurationMin(seconds = 1) @DurationMax(hours = 1)
          @Nullable Duration checkpointTimeout) {
    static final Preemption NONE = new Preemption(null, null, null, null);
    private static final Duration GRACE = Duration.ofSeconds(30);

    JobSpec.PreemptionSpec spec(boolean preemptible) {
      return new JobSpec.PreemptionSpec(
          Objects.requireNonNullElse(allowed, preemptible),
          Objects.requireNonNullElse(gracePeriod, GRACE),
          Objects.requireNonNullElse(minRuntime, Duration.ZERO),
          checkpointTimeout);
    }
  }

  /**
   * A health test of the nodes that are reserved for the job.
   *
   * @param test name of a health test
   * @param timeout maximum time to wait for the test of a node, 1m to 24h
   * @param onUntested rule for a node that was not tested in time
   */
  @Schema(name = "PreflightRequest")
  record Preflight(
      @DnsLabel String test,
      @Schema(implementation = String.class) @DurationMin(minutes = 1) @DurationMax(days = 1)
          @Nullable Duration timeout,
      PreflightSpec.@Nullable OnUntested onUntested) {
    private static final Duration USUAL = Duration.ofMinutes(15);

    PreflightSpec spec() {
      return new PreflightSpec(
          test,
          Objects.requireNonNullElse(timeout, USUAL),
          Objects.requireNonNullElse(onUntested, PreflightSpec.OnUntested.START));
    }
  }

  /**
   * Maximum time without a progress report from a running attempt, or without activity.
   *
   * @param timeout maximum time between two reports, or since the last activity, 1m to 24h
   * @param onTimeout RETRY replaces an attempt without a report, which hangs. SUSPEND suspends a
   *     job of one member that reports no activity
   */
  @Schema(name = "ProgressRequest")
  record Progress(
      @Schema(implementation = String.class) @DurationMin(minutes = 1) @DurationMax(days = 1)
          Duration timeout,
      ProgressSpec.@Nullable OnTimeout onTimeout) {
    ProgressSpec spec() {
      return new ProgressSpec(
          timeout, Objects.requireNonNullElse(onTimeout, ProgressSpec.OnTimeout.RETRY));
    }
  }

  /**
   * Replacement of members after faults.
   *
   * @param max maximum number of replaced members of one attempt, 1 to 100
   */
  @Schema(name = "GangRepairRequest")
  record GangRepair(@Min(1) @Max(GangRepairSpec.MOST) Integer max) {
    GangRepairSpec spec() {
      return new GangRepairSpec(max);
    }
  }

  /**
   * Code of a job, uploaded to the project beforehand.
   *
   * @param digest SHA-256 of the archive: sha256: and 64 hexadecimal digits
   */
  @Schema(name = "WorkdirRequest")
  record Workdir(@JsonDeserialize(using = DigestReader.class) String digest) {
    WorkdirSpec spec() {
      return new WorkdirSpec(digest);
    }
  }

  /** Reads the digest of an upload. */
  static final class DigestReader extends FieldReader<String> {
    private static final int LONGEST = 80;

    @Override
    protected Optional<String> read(Value value) {
      return value
          .text(LONGEST)
          .flatMap(text ->
              WorkdirSpec.isDigest(text)
                  ? Optional.of(text)
                  : value.bad(
                      "must be sha256: and 64 hexadecimal digits in lower case, not "
                          + value.shown(),
                      null));
    }
  }

  /**
   * Number of attempts of a job.
   *
   * @param maxAttempts number of attempts in all, 1 to 20
   * @param on failure causes after which another attempt follows
   */
  @Schema(name = "RetryRequest")
  record Retry(
      @Min(1) @Max(MOST_ATTEMPTS) @Nullable Integer maxAttempts,
      @JsonDeserialize(using = CausesReader.class) @Nullable List<FailureCause> on) {
    private static final int MOST_ATTEMPTS = 20;

    RetryPolicy policy() {
      return new RetryPolicy(
          Objects.requireNonNullElse(maxAttempts, RetryPolicy.DEFAULT.maxAttempts()),
          Objects.requireNonNullElse(on, RetryPolicy.DEFAULT.on()));
    }
  }

  /** Reads causes of failures after which a job can be tried again, each once. */
  static final class CausesReader extends FieldReader<List<FailureCause>> {
    private static final List<FailureCause> RETRIABLE =
        Arrays.stream(FailureCause.values())
            .filter(c -> c != FailureCause.PREEMPTED)
            .filter(c -> c != FailureCause.STOPPED && c != FailureCause.DEPENDENCY_FAILED)
            .filter(c -> c != FailureCause.CHECK_REJECTED && c != FailureCause.OUTPUT_MISSING)
            .filter(c -> c != FailureCause.SKIPPED)
            .toList();

    @Override
    protected Optional<List<FailureCause>> read(Value value) {
      return Optional.of(PlacementReader.choices(value, RETRIABLE));
    }
  }
}
