package dev.fairlead.work.job.web.spec;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnDependencyFailure;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.RoleSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job spec: expands shorthands, fills in defaults, and reports all problems together. Name
 * and queue stay empty if they are not given. The submit fills them in.
 */
public final class JobSpecReader {
  static final int LONGEST_NAME = 40;

  /** Names of 100 characters fill the 128 KiB that Linux allows for a variable. */
  private static final int MOST_NAMED = 1_000;

  private static final int LARGEST = 64 * 1024;

  /**
   * Values of the job are stored with each role, so this limits the expanded size to a number of
   * specs.
   */
  private static final int SPECS_OF_ROLES = 4;

  private final PlacementReader placements;
  private final LimitSource limits;

  /**
   * @param allowedNodeLabels keys that {@code placement.nodeLabels} may use
   * @param limits maximum size of specs by tenant and project
   */
  JobSpecReader(List<String> allowedNodeLabels, LimitSource limits) {
    this.limits = limits;
    this.placements = new PlacementReader(allowedNodeLabels);
  }

  /** Returns the spec, or empty if a problem was reported. */
  Optional<JobSpec> read(Value body) {
    FieldProblems problems = body.problems();
    int before = problems.count();
    if (body.isLarger(LARGEST)) {
      body.refuse(ProblemCode.LIMIT_EXCEEDED, "A spec has at most " + LARGEST + " bytes", null);
      return Optional.empty();
    }
    Optional<JobSpec> spec = body.fields().map(this::spec);
    return problems.count() == before ? spec : Optional.empty();
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
    return read(body)
        .map(spec -> {
          roles(spec, bound, size);
          elements(actor, project, spec, size);
          runtime(actor, project, spec, size);
          return new NewJob(
              spec,
              body.fields().map(LifecycleReader::named).orElseGet(List::of),
              size.none() ? null : size.refusal());
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

  private JobSpec spec(Fields job) {
    String name = job.get("name").flatMap(v -> Names.label(v, LONGEST_NAME)).orElse("");
    String queue = job.get("queue").flatMap(v -> Names.label(v, Names.LONGEST_LABEL)).orElse("");
    PriorityClass priority =
        job.get("priorityClass").flatMap(JobSpecReader::priority).orElse(PriorityClass.NORMAL);
    Optional<String> rayPool = job.get("rayPool").flatMap(v -> Names.label(v, LONGEST_NAME));
    Launcher launcher =
        job.get("launcher")
            .flatMap(JobSpecReader::launcher)
            .orElseGet(() -> Launchers.of(rayPool.isEmpty() ? Launcher.NONE : RayPoolJob.LAUNCHER));
    List<RoleSpec> roles = RoleReader.read(job, launcher);
    PlacementSpec placement = placements.read(job);
    Optional<Instant> notBefore = job.get("notBefore").flatMap(Value::time);
    Optional<Instant> deadline = job.get("deadline").flatMap(Value::time);
    JobSpec spec =
        new JobSpec(
            name,
            queue,
            priority,
            roles,
            placement,
            launcher.name(),
            job.get("maxRuntime")
                .flatMap(v -> v.duration(LifecycleReader.LEAST, LifecycleReader.LONGEST))
                .orElse(null),
            notBefore.orElse(null),
            deadline.orElse(null),
            LifecycleReader.dependsOn(job),
            LifecycleReader.preemption(job, priority),
            LifecycleReader.retry(job),
            job.get("onUnreachable")
                .flatMap(v -> v.choice(OnUnreachable.class))
                .orElse(OnUnreachable.WAIT),
            LifecycleReader.array(job),
            LifecycleReader.volumes(job),
            LifecycleReader.licences(job),
            LabelReader.labels(job),
            LabelReader.annotations(job),
            BodyBinder.part(job, "preflight", SubmitJobRequest.Preflight.class)
                .map(SubmitJobRequest.Preflight::spec)
                .orElse(null),
            LifecycleReader.progress(job),
            BodyBinder.part(job, "gangRepair", SubmitJobRequest.GangRepair.class)
                .map(SubmitJobRequest.GangRepair::spec)
                .orElse(null),
            job.get("onDependencyFailure")
                .flatMap(v -> v.choice(OnDependencyFailure.class))
                .orElse(OnDependencyFailure.FAIL),
            BodyBinder.part(job, "workdir", SubmitJobRequest.Workdir.class)
                .map(SubmitJobRequest.Workdir::spec)
                .orElse(null),
            OutputReader.read(job),
            job.get("cloudIdentity")
                .flatMap(v -> Names.label(v, CloudIdentity.LONGEST_NAME))
                .orElse(null));
    job.done();
    agree(job, spec);
    agree(job, spec, launcher);
    OutputReader.agree(job, spec);
    LifecycleReader.agree(job, spec);
    ContainerReader.agree(job, spec);
    rayPool(job, spec, rayPool.isPresent());
    return rayPool.map(pool -> RayPoolJob.driver(spec, pool)).orElse(spec);
  }

  private static void rayPool(Fields job, JobSpec spec, boolean driver) {
    boolean launched = spec.launcher().equals(RayPoolJob.LAUNCHER);
    if (driver && !launched) {
      job.refuse(
          "rayPool",
          ProblemCode.CONFLICTING_FIELDS,
          "A job with rayPool is started by launcher %s: remove launcher: %s."
              .formatted(RayPoolJob.LAUNCHER, spec.launcher()),
          null);
    } else if (launched && !driver) {
      job.refuse(
          "launcher",
          ProblemCode.CONFLICTING_FIELDS,
          "Launcher %s needs rayPool, the name of a Ray pool of the project. For a Ray cluster of its own, use launcher: ray."
              .formatted(RayPoolJob.LAUNCHER),
          null);
    } else if (driver) {
      RayPoolJob.driverObjection(spec)
          .ifPresent(why ->
              job.refuse(
                  "rayPool",
                  ProblemCode.CONFLICTING_FIELDS,
                  "A job with rayPool "
                      + why
                      + ". For a Ray cluster of its own, use launcher: ray.",
                  null));
    }
  }

  /** Reports jobs that their launcher cannot start. */
  private static void agree(Fields job, JobSpec spec, Launcher launcher) {
    if (spec.elastic() && !launcher.resizes()) {
      job.refuse(
          "launcher",
          ProblemCode.CONFLICTING_FIELDS,
          "launcher %s starts gangs of a fixed size: remove minWorkers (minCount) or use torchrun."
              .formatted(launcher.name()),
          null);
    }
    if (launcher.namesMembers() && spec.members() > MOST_NAMED) {
      job.refuse(
          "launcher",
          ProblemCode.LIMIT_EXCEEDED,
          "launcher %s passes the names of all members in one variable: at most %d members, not %d."
              .formatted(launcher.name(), MOST_NAMED, spec.members()),
          null);
    }
    spec.roles().stream()
        .map(RoleSpec::name)
        .filter(role -> !launcher.roles().isEmpty() && !launcher.roles().contains(role))
        .findFirst()
        .ifPresent(role ->
            job.refuse(
                "launcher",
                ProblemCode.CONFLICTING_FIELDS,
                "launcher %s has no role %s. Its roles are %s."
                    .formatted(launcher.name(), role, String.join(", ", launcher.roles())),
                null));
  }

  private static void agree(Fields job, JobSpec spec) {
    if (spec.placement().maxCost() != null && !job.has("maxRuntime")) {
      job.get("placement")
          .flatMap(Value::fields)
          .ifPresent(placement ->
              placement.refuse(
                  "maxCost",
                  ProblemCode.CONFLICTING_FIELDS,
                  "maxCost needs a maxRuntime, because it limits the cost of that time. Give maxRuntime, "
                      + "for example 8h.",
                  null));
    }
    Instant from = spec.notBefore();
    if (from != null && spec.deadline() != null && !from.isBefore(spec.deadline())) {
      job.refuse(
          "deadline", ProblemCode.CONFLICTING_FIELDS, "deadline must be after notBefore.", null);
    }
    PlacementSpec.Segment segment = spec.placement().segment();
    if (segment != null) {
      segment(job, spec.roles(), segment.size());
    }
  }

  /** Each role must consist of whole segments. A role smaller than a segment stays together. */
  private static void segment(Fields job, List<RoleSpec> roles, int size) {
    boolean whole = roles.stream().anyMatch(r -> r.count() >= size);
    for (RoleSpec role : roles) {
      int each = whole ? Math.min(size, role.count()) : size;
      if (role.count() % each != 0 || role.minCount() % each != 0) {
        job.refuse(
            "segment",
            ProblemCode.CONFLICTING_FIELDS,
            "The %d members of role %s, or its minimum number, cannot be divided into groups of %d."
                .formatted(role.count(), role.name(), each),
            null);
        return;
      }
    }
  }

  private static Optional<PriorityClass> priority(Value value) {
    return value
        .oneOf(Arrays.stream(PriorityClass.values()).map(PriorityClass::wire).toList())
        .flatMap(PriorityClass::ofWire);
  }

  private static Optional<Launcher> launcher(Value value) {
    return value
        .oneOf(Launchers.all().stream().map(Launcher::name).toList())
        .flatMap(Launchers::find);
  }
}
