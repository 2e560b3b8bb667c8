package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.work.job.web.spi.JobTemplateRequest;
import dev.fairlead.work.job.web.spi.JobTemplates;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.TopologySpec;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * A job spec as submitted. A requested amount is a minimum, never an exact match.
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
 *     project, ids of jobs, or objects. A name means the active job, or the only ended job with
 *     that name. In a batch it may be an earlier item
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
    @Schema(
            implementation = String.class,
            allowableValues = {"low", "normal", "high", "urgent"})
        @JsonDeserialize(using = PatchJobRequest.PriorityReader.class)
        @Nullable PriorityClass priorityClass,
    @Size(min = 1, max = ProgramFields.LONGEST_IMAGE)
        @JsonDeserialize(using = ProgramFields.Image.class)
        @Nullable String image,
    @Schema(
            implementation = Object.class,
            types = {"string", "array"})
        @JsonDeserialize(using = ProgramFields.Run.class)
        @Nullable CommandSpec run,
    @Size(max = ProgramFields.MOST_WORDS) @JsonDeserialize(using = ProgramFields.Words.class)
        @Nullable List<String> command,
    @Size(max = ProgramFields.MOST_WORDS) @JsonDeserialize(using = ProgramFields.Words.class)
        @Nullable List<String> args,
    @Schema(types = {"string", "array"}) @JsonDeserialize(using = ProgramFields.Setup.class)
        @Nullable List<String> setup,
    @JsonDeserialize(using = ProgramFields.Variables.class) @Nullable SortedMap<String, String> env,
    @JsonDeserialize(using = ProgramFields.SecretVariables.class)
        @Nullable SortedMap<String, JobParts.SecretKey> secretEnv,
    @Min(1) @Max(RoleRequest.MOST_MEMBERS) @Nullable Integer workers,
    @Min(1) @Max(RoleRequest.MOST_MEMBERS) @Nullable Integer minWorkers,
    @Size(min = 1, max = MOST_ROLES) @Nullable List<RoleRequest> roles,
    @Schema(
            implementation = Object.class,
            oneOf = {Integer.class, String.class, GpuReader.Gpu.class},
            minimum = "0",
            maximum = "1024")
        @JsonDeserialize(using = GpuReader.class)
        @Nullable GpuRequest gpu,
    @Schema(
            oneOf = {BigDecimal.class, String.class},
            minimum = "0.001",
            maximum = "10000")
        @JsonDeserialize(using = ProgramFields.Cpu.class)
        @Nullable Long cpu,
    @Schema(
            oneOf = {Long.class, String.class},
            minimum = LEAST_BYTES,
            maximum = MOST_BYTES)
        @JsonDeserialize(using = ProgramFields.Memory.class)
        @Nullable Long memory,
    @Schema(
            oneOf = {Long.class, String.class},
            minimum = LEAST_BYTES,
            maximum = MOST_BYTES)
        @JsonDeserialize(using = ProgramFields.Memory.class)
        @Nullable Long shm,
    @Nullable Boolean rdma,
    @Schema(
            implementation = Object.class,
            oneOf = {String.class, JobParts.Topology.class})
        @JsonDeserialize(using = JobParts.TopologyReader.class)
        @Nullable TopologySpec topology,
    JobParts.@Nullable Segment segment,
    JobParts.@Nullable Spread spread,
    @JsonProperty("class")
        @Size(min = 1, max = Names.LONGEST_LABEL)
        @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
        @Nullable String jobClass,
    @Size(max = MOST_CLASSES)
        @Nullable
            List<
                @Size(min = 1, max = Names.LONGEST_LABEL)
                @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE) String>
            avoidClasses,
    PlacementSpec.@Nullable Numa numa,
    @Nullable PlacementRequest placement,
    @DnsLabel(max = LONGEST_LAUNCHER) @JsonDeserialize(using = LauncherReader.class)
        @Nullable String launcher,
    @Size(max = MOST_VOLUMES) @Nullable List<VolumeRequest> volumes,
    @Schema(implementation = String.class) @DurationMin(seconds = 1) @DurationMax(days = 365)
        @Nullable Duration maxRuntime,
    @Nullable Instant notBefore,
    @Nullable Instant deadline,
    @ArraySchema(schema = @Schema(oneOf = {String.class, DependencyRequest.class}))
        @Size(max = DependencyRequest.MOST)
        @JsonDeserialize(using = DependencyRequest.Reader.class)
        @Nullable List<Object> dependsOn,
    JobSpec.@Nullable OnDependencyFailure onDependencyFailure,
    JobParts.@Nullable Preemption preemption,
    JobParts.@Nullable Retry retry,
    JobSpec.@Nullable OnUnreachable onUnreachable,
    @Schema(implementation = String.class, pattern = "^0-[0-9]{1,5}(%[0-9]{1,5})?$")
        @JsonDeserialize(using = ArrayReader.class)
        @Nullable ArrayRange array,
    @JsonDeserialize(using = LicencesReader.class) @Nullable SortedMap<String, Integer> licences,
    @JsonDeserialize(using = LabelsReader.class) @Nullable SortedMap<String, String> labels,
    @JsonDeserialize(using = AnnotationReader.class)
        @Nullable SortedMap<String, String> annotations,
    JobParts.@Nullable Preflight preflight,
    JobParts.@Nullable Progress progress,
    JobParts.@Nullable GangRepair gangRepair,
    JobParts.@Nullable Workdir workdir,
    @Size(max = Outputs.MOST) @JsonDeserialize(using = OutputsReader.class)
        @Nullable List<String> outputs,
    @DnsLabel(max = CloudIdentity.LONGEST_NAME) @Nullable String cloudIdentity,
    @DnsLabel(max = JobSpecReader.LONGEST_NAME) @Nullable String rayPool,
    @Size(max = ContainerRequest.MOST) @Nullable List<ContainerRequest> initContainers,
    @Size(max = ContainerRequest.MOST) @Nullable List<ContainerRequest> sidecars,
    @Nullable JobTemplateRequest template)
    implements ProgramRequest.Member, RequestRules {
  private static final int LONGEST_LAUNCHER = 31;
  private static final int MOST_ROLES = 16;
  private static final int MOST_CLASSES = 16;
  private static final int MOST_VOLUMES = 16;
  private static final List<String> OF_A_ROLE =
      List.of("workers", "minWorkers", "gpu", "cpu", "memory", "shm");
  private static final String ROLES = "roles";

  /** 4Mi: memory as a number is in bytes. */
  static final String LEAST_BYTES = "4194304";

  /** 1Pi. */
  static final String MOST_BYTES = "1125899906842624";

  @Override
  public void check(Fields given) {
    ProgramFields.check(given);
    if (given.has(ROLES)) {
      OF_A_ROLE.stream()
          .filter(given::has)
          .forEach(name ->
              given.refuse(
                  name,
                  ProblemCode.CONFLICTING_FIELDS,
                  name + " belongs in each role if the job has roles.",
                  null));
    } else {
      RoleRequest.fewest(given, "minWorkers", minWorkers, workers);
    }
    Map<String, Value> plain = ProgramFields.entries(given, "env");
    ProgramFields.entries(given, "secretEnv").keySet().stream()
        .filter(plain::containsKey)
        .forEach(name ->
            given.refuse(
                "secretEnv",
                ProblemCode.CONFLICTING_FIELDS,
                name + " is in env and in secretEnv.",
                null));
    if (notBefore != null && deadline != null && !notBefore.isBefore(deadline)) {
      given.refuse(
          "deadline", ProblemCode.CONFLICTING_FIELDS, "deadline must be after notBefore.", null);
    }
  }

  /** The jobs of dependsOn in their order. */
  List<DependencyRequest> dependencies() {
    List<Object> given = Objects.requireNonNullElse(dependsOn, List.of());
    return given.stream().map(DependencyRequest.class::cast).toList();
  }

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

  /**
   * Reads only the number of items. Each item is read separately, because its problems are reported
   * separately.
   */
  static final class ItemsReader extends FieldReader<List<Object>> {
    @Override
    protected Optional<List<Object>> read(Value value) {
      return Optional.of(List.copyOf(value.someItems(Batch.MOST_ITEMS)));
    }
  }

  /** Reads the name of a launcher. */
  static final class LauncherReader extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.oneOf(Launchers.all().stream().map(Launcher::name).toList());
    }
  }

  /** Reads the elements of an array. */
  static final class ArrayReader extends FieldReader<ArrayRange> {
    private static final int LONGEST = 20;

    @Override
    protected Optional<ArrayRange> read(Value value) {
      return value
          .text(LONGEST)
          .flatMap(text ->
              ArrayRange.parse(text)
                  .or(() ->
                      value.bad(
                          "must be 0-N with N below %d, with %%M for at most M elements at the same time, such as 0-99%%8, not %s"
                              .formatted(ArrayRange.MOST, value.shown()),
                          null)));
    }
  }

  /** Reads numbers of licences by name. */
  static final class LicencesReader extends FieldReader<SortedMap<String, Integer>> {
    @Override
    protected Optional<SortedMap<String, Integer>> read(Value value) {
      SortedMap<String, Integer> licences = new TreeMap<>();
      value
          .entries(Licence.KINDS)
          .forEach((name, count) -> {
            if (Names.isLabel(name, Names.LONGEST_LABEL)) {
              count.integer(1, Licence.MOST).ifPresent(asked -> licences.put(name, asked));
            } else {
              count.refuse(
                  ProblemCode.INVALID_FIELD,
                  "A licence is named by a DNS label of at most 63 characters",
                  null);
            }
          });
      return Optional.of(licences);
    }
  }

  /** Reads labels. */
  static final class LabelsReader extends FieldReader<SortedMap<String, String>> {
    @Override
    protected Optional<SortedMap<String, String>> read(Value value) {
      return Optional.of(Labels.read(value, AnnotationReader.MOST));
    }
  }

  /** Reads names of outputs, each once, and sorts them. */
  static final class OutputsReader extends FieldReader<List<String>> {
    private static final int LONGEST = 63;

    @Override
    protected Optional<List<String>> read(Value value) {
      SortedSet<String> names = new TreeSet<>();
      for (Value item : value.items(Outputs.MOST)) {
        Optional<String> name =
            item.text(LONGEST)
                .flatMap(text ->
                    Outputs.isName(text)
                        ? Optional.of(text)
                        : item.bad("must be " + Outputs.NAMES + ", not " + item.shown(), null));
        if (name.isPresent() && !names.add(name.get())) {
          item.bad("is the name of two outputs", null);
        }
      }
      return Optional.of(List.copyOf(names));
    }
  }
}
