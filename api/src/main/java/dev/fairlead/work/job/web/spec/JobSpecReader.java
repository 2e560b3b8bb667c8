package dev.fairlead.work.job.web.spec;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.SpellingSuggestion;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.web.spi.JobTemplates;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnDependencyFailure;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.JobSpecBuilder;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpecBuilder;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job spec: expands shorthands, fills in defaults, and reports all problems together. Name
 * and queue stay empty if they are not given. The submit fills them in.
 */
public final class JobSpecReader {
  static final int LONGEST_NAME = 40;

  private static final int LARGEST = 64 * 1024;

  /**
   * Values of the job are stored with each role, so this limits the expanded size to a number of
   * specs.
   */
  private static final int SPECS_OF_ROLES = 4;

  private final List<String> allowedNodeLabels;
  private final LimitSource limits;

  /**
   * @param allowedNodeLabels keys that {@code placement.nodeLabels} may use
   * @param limits maximum size of specs by tenant and project
   */
  JobSpecReader(List<String> allowedNodeLabels, LimitSource limits) {
    this.limits = limits;
    this.allowedNodeLabels = List.copyOf(allowedNodeLabels);
  }

  /** Returns the spec, or empty if a problem was reported. */
  Optional<JobSpec> read(Value body) {
    return job(body).map(NewJob::spec);
  }

  private Optional<NewJob> job(Value body) {
    FieldProblems problems = body.problems();
    int before = problems.count();
    if (body.isLarger(LARGEST)) {
      body.refuse(ProblemCode.LIMIT_EXCEEDED, "A spec has at most " + LARGEST + " bytes", null);
      return Optional.empty();
    }
    Optional<NewJob> job =
        body.fields()
            .flatMap(fields ->
                BodyBinder.read(body, SubmitJobRequest.class).map(request -> job(fields, request)));
    return problems.count() == before ? job : Optional.empty();
  }

  /** Collects the problems of a spec, regardless of project limits. */
  public void check(Value body) {
    Optional<JobSpec> _ = read(body);
  }

  /**
   * Like {@link #read}, within the limits of the project, and with dependencies by name, which only
   * a submit can resolve.
   */
  public Optional<NewJob> submitted(Actor actor, String project, Value body) {
    LimitBook.Bound bound = largest(actor, project);
    FieldProblems size = new FieldProblems();
    if (body.isLarger((int) bound.value())) {
      body.in(size)
          .refuse(
              ProblemCode.LIMIT_EXCEEDED,
              "A spec has at most " + bound.value() + " bytes: " + bound.named(),
              null);
    }
    return job(body)
        .map(job -> {
          roles(job.spec(), bound, size);
          elements(actor, project, job.spec(), size);
          runtime(actor, project, job.spec(), size);
          return new NewJob(job.spec(), job.named(), size.none() ? null : size.refusal());
        });
  }

  /** Refuses the job if its spec exceeds a current limit of the project. */
  public NewJob limited(Actor actor, String project, NewJob job) {
    FieldProblems size = new FieldProblems();
    elements(actor, project, job.spec(), size);
    runtime(actor, project, job.spec(), size);
    return new NewJob(job.spec(), job.named(), size.none() ? null : size.refusal());
  }

  private static void roles(JobSpec spec, LimitBook.Bound bound, FieldProblems size) {
    long most = SPECS_OF_ROLES * bound.value();
    String run =
        Body.text(
            spec.roles().stream()
                .map(role ->
                    List.of(role.env(), role.secretEnv(), role.command(), role.extraContainers()))
                .toList());
    int bytes = run.getBytes(StandardCharsets.UTF_8).length;
    if (spec.roles().size() > 1 && bytes > most) {
      size.add(
          "/roles",
          ProblemCode.LIMIT_EXCEEDED,
          ("env, secretEnv and command of all roles may have at most %d bytes, not %d. Fields"
                  + " for all roles count once per role, here %d times %s. Set variables and"
                  + " command only in the roles that need them.")
              .formatted(most, bytes, SPECS_OF_ROLES, bound.named()),
          null);
    }
  }

  private void elements(Actor actor, String project, JobSpec spec, FieldProblems size) {
    LimitBook.Bound most = limits.now().ofProject(actor.tenant(), project, Limit.ARRAY_ELEMENTS);
    ArrayRange array = spec.array();
    if (array != null && array.count() > most.value()) {
      size.add(
          "/array",
          ProblemCode.LIMIT_EXCEEDED,
          "An array has at most %d elements, not %d: %s"
              .formatted(most.value(), array.count(), most.named()),
          "0-" + (most.value() - 1));
    }
  }

  private void runtime(Actor actor, String project, JobSpec spec, FieldProblems size) {
    LimitBook.Bound longest = limits.now().ofProject(actor.tenant(), project, Limit.MAX_RUNTIME);
    Duration given = spec.maxRuntime();
    if (exceeds(given, longest)) {
      size.add(
          "/maxRuntime",
          ProblemCode.LIMIT_EXCEEDED,
          tooLong(given, longest),
          DurationText.of(Duration.ofSeconds(longest.value())));
    }
  }

  /** A job without a maxRuntime may run forever. */
  static boolean exceeds(@Nullable Duration given, LimitBook.Bound longest) {
    return longest.value() != LimitBook.NONE
        && (given == null || given.compareTo(Duration.ofSeconds(longest.value())) > 0);
  }

  static String tooLong(@Nullable Duration given, LimitBook.Bound longest) {
    return "A job has a maxRuntime of at most %s, not %s: %s"
        .formatted(
            DurationText.of(Duration.ofSeconds(longest.value())),
            given == null ? "none" : DurationText.of(given),
            longest.named());
  }

  /**
   * Limits of the specs of a project.
   *
   * @param bytes maximum size of one spec in bytes
   * @param runtime maximum {@code maxRuntime} in seconds
   */
  public record Bounds(LimitBook.Bound bytes, LimitBook.Bound runtime) {}

  /** Returns the current limits of specs in the project. */
  public Bounds bounds(Actor actor, String project) {
    return new Bounds(
        largest(actor, project),
        limits.now().ofProject(actor.tenant(), project, Limit.MAX_RUNTIME));
  }

  private LimitBook.Bound largest(Actor actor, String project) {
    return limits.now().ofProject(actor.tenant(), project, Limit.SPEC_BYTES);
  }

  private NewJob job(Fields job, SubmitJobRequest request) {
    if (job.has(JobTemplates.FIELD)) {
      job.refuse(
          JobTemplates.FIELD,
          ProblemCode.UNKNOWN_FIELD,
          "There is no field \"template\" here: give the fields of the job.",
          null);
    }
    nodeLabels(job);
    Launcher launcher =
        Launchers.of(
            Objects.requireNonNullElse(
                request.launcher(),
                job.sound("rayPool", request.rayPool()).isPresent()
                    ? RayPoolJob.LAUNCHER
                    : Launcher.NONE));
    JobSpec spec = spec(job, request, launcher);
    JobRules.check(job, request, spec, launcher);
    List<DependencyRequest> all = request.dependencies();
    List<NewJob.Named> named =
        IntStream.range(0, all.size())
            .filter(i -> all.get(i).byId().isEmpty())
            .mapToObj(i -> all.get(i).byName(i))
            .toList();
    String pool = request.rayPool();
    boolean sound = job.problems().none();
    return new NewJob(pool != null && sound ? RayPoolJob.driver(spec, pool) : spec, named, null);
  }

  private static JobSpec spec(Fields job, SubmitJobRequest request, Launcher launcher) {
    PriorityClass priority =
        Objects.requireNonNullElse(request.priorityClass(), PriorityClass.NORMAL);
    return JobSpecBuilder.builder()
        .name(Objects.requireNonNullElse(request.name(), ""))
        .queue(Objects.requireNonNullElse(request.queue(), ""))
        .priorityClass(priority)
        .roles(RoleSpecs.of(job, request, launcher))
        .placement(placement(job, request))
        .launcher(launcher.name())
        .maxRuntime(request.maxRuntime())
        .notBefore(request.notBefore())
        .deadline(request.deadline())
        .dependsOn(request.dependencies().stream().flatMap(each -> each.byId().stream()).toList())
        .preemption(
            job.sound("preemption", request.preemption())
                .orElse(JobParts.Preemption.NONE)
                .spec(priority.preemptible()))
        .retry(
            job.sound("retry", request.retry())
                .map(JobParts.Retry::policy)
                .orElse(RetryPolicy.DEFAULT))
        .onUnreachable(Objects.requireNonNullElse(request.onUnreachable(), OnUnreachable.WAIT))
        .array(request.array())
        .volumes(volumes(job, request))
        .licences(map(request.licences()))
        .labels(map(request.labels()))
        .annotations(map(request.annotations()))
        .preflight(
            job.sound("preflight", request.preflight()).map(JobParts.Preflight::spec).orElse(null))
        .progress(
            job.sound("progress", request.progress()).map(JobParts.Progress::spec).orElse(null))
        .gangRepair(
            job.sound("gangRepair", request.gangRepair())
                .map(JobParts.GangRepair::spec)
                .orElse(null))
        .onDependencyFailure(
            Objects.requireNonNullElse(request.onDependencyFailure(), OnDependencyFailure.FAIL))
        .workdir(job.sound("workdir", request.workdir()).map(JobParts.Workdir::spec).orElse(null))
        .outputs(list(request.outputs()))
        .cloudIdentity(request.cloudIdentity())
        .build();
  }

  private static PlacementSpec placement(Fields job, SubmitJobRequest request) {
    PlacementRequest placement =
        job.sound("placement", request.placement()).orElse(PlacementRequest.ANYWHERE);
    return PlacementSpecBuilder.builder()
        .clusters(placement.clusterNames())
        .pools(placement.poolNames())
        .capacity(placement.types())
        .waits(placement.waitsByType())
        .nodeLabels(placement.labels())
        .topology(request.topology())
        .segment(job.sound("segment", request.segment()).map(JobParts.Segment::spec).orElse(null))
        .spread(job.sound("spread", request.spread()).map(JobParts.Spread::spec).orElse(null))
        .jobClass(request.jobClass())
        .avoidClasses(list(request.avoidClasses()).stream().distinct().toList())
        .numa(Objects.requireNonNullElse(request.numa(), PlacementSpec.Numa.NONE))
        .maxPricePerGpuHour(placement.price())
        .maxCost(placement.cost())
        .near(PlacementRequest.terms(placement.near()))
        .away(PlacementRequest.terms(placement.away()))
        .preferred(List.of())
        .build();
  }

  private static List<VolumeSpec> volumes(Fields job, SubmitJobRequest request) {
    List<VolumeSpec> volumes = new ArrayList<>();
    Set<String> paths = new TreeSet<>();
    List<VolumeRequest> bound = list(request.volumes());
    for (int i = 0; i < bound.size(); i++) {
      Value item = job.get("volumes").orElseThrow().items(bound.size()).get(i);
      if (!item.refused()) {
        VolumeSpec volume = bound.get(i).spec();
        volumes.add(volume);
        if (!paths.add(volume.mountPath())) {
          item.refuse(
              ProblemCode.CONFLICTING_FIELDS,
              "Two volumes are mounted at " + volume.mountPath(),
              null);
        }
      }
    }
    return volumes;
  }

  /** Reports labels of nodes that the configuration does not allow. */
  private void nodeLabels(Fields job) {
    SortedMap<String, Value> labels =
        job.get("placement")
            .filter(Value::isObject)
            .flatMap(Value::fields)
            .map(placement -> ProgramFields.entries(placement, "nodeLabels"))
            .orElseGet(TreeMap::new);
    String list =
        allowedNodeLabels.isEmpty()
            ? "No label is allowed here"
            : "Allowed: " + String.join(", ", allowedNodeLabels);
    labels.forEach((key, value) -> {
      if (!allowedNodeLabels.contains(key)) {
        value.refuse(
            ProblemCode.RESERVED_NAME,
            "The operator does not allow this node label. " + list,
            SpellingSuggestion.to(key, allowedNodeLabels).orElse(null));
      }
    });
  }

  private static <T> List<T> list(@Nullable List<T> items) {
    return Objects.requireNonNullElse(items, List.of());
  }

  private static <T> SortedMap<String, T> map(@Nullable SortedMap<String, T> entries) {
    return Objects.requireNonNullElseGet(entries, TreeMap::new);
  }
}
