package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reports parts of a job that exclude each other, or that its launcher cannot start. */
final class JobRules {
  /** Names of 100 characters fill the 128 KiB that Linux allows for a variable. */
  private static final int MOST_NAMED = 1_000;

  private static final List<String> OF_EVERY_MEMBER = List.of("/dev/shm", "/tmp");
  private final Fields job;
  private final JobSpec spec;
  private final Launcher launcher;

  private JobRules(Fields job, JobSpec spec, Launcher launcher) {
    this.job = job;
    this.spec = spec;
    this.launcher = launcher;
  }

  /**
   * Reports every conflict.
   *
   * @param spec the expanded job, with defaults for refused values
   */
  static void check(Fields job, SubmitJobRequest request, JobSpec spec, Launcher launcher) {
    JobRules rules = new JobRules(job, spec, launcher);
    rules.launcher();
    rules.cost();
    rules.segment();
    rules.dependencies();
    rules.outputs();
    rules.preflight();
    rules.gangRepair();
    rules.workdir();
    rules.progress();
    rules.mounts();
    rules.rayPool(job.sound("rayPool", request.rayPool()).isPresent());
  }

  private void conflict(String field, String detail) {
    job.refuse(field, ProblemCode.CONFLICTING_FIELDS, detail, null);
  }

  /** Reports jobs that their launcher cannot start. */
  private void launcher() {
    if (spec.elastic() && !launcher.resizes()) {
      conflict(
          "launcher",
          "launcher %s starts gangs of a fixed size: remove minWorkers (minCount) or use torchrun."
              .formatted(launcher.name()));
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
            conflict(
                "launcher",
                "launcher %s has no role %s. Its roles are %s."
                    .formatted(launcher.name(), role, String.join(", ", launcher.roles()))));
  }

  private void cost() {
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
  }

  /** Each role must consist of whole segments. A role smaller than a segment stays together. */
  private void segment() {
    PlacementSpec.Segment segment = spec.placement().segment();
    int size = segment == null ? 1 : segment.size();
    List<RoleSpec> roles = spec.roles();
    boolean whole = roles.stream().anyMatch(r -> r.count() >= size);
    for (RoleSpec role : roles) {
      int each = whole ? Math.min(size, role.count()) : size;
      if (role.count() % each != 0 || role.minCount() % each != 0) {
        conflict(
            "segment",
            "The %d members of role %s, or its minimum number, cannot be divided into groups of %d."
                .formatted(role.count(), role.name(), each));
        return;
      }
    }
  }

  private void dependencies() {
    if (!job.has("array")) {
      job
          .get("dependsOn")
          .filter(Value::isList)
          .map(list -> list.items(Integer.MAX_VALUE))
          .orElse(List.of())
          .stream()
          .filter(Value::isObject)
          .flatMap(item -> item.fields().orElseThrow().get("perElement").stream())
          .filter(each -> each.isFlag() && each.flag().orElseThrow())
          .forEach(each ->
              each.refuse(
                  ProblemCode.CONFLICTING_FIELDS,
                  "perElement needs array: each element waits for the element of the same index of the other job",
                  null));
    }
  }

  private void outputs() {
    if (job.get("dependsOn").filter(JobRules::some).isEmpty()) {
      OutputReference.uses(spec).stream()
          .findFirst()
          .ifPresent(use ->
              job.refuse(
                  "dependsOn",
                  ProblemCode.INVALID_FIELD,
                  "dependsOn is missing: %s is an output of job %s, which must end first."
                      .formatted(use.reference().text(), use.reference().job()),
                  "[%s]".formatted(use.reference().job())));
    }
    if (spec.array() != null && !spec.outputs().isEmpty()) {
      conflict(
          "outputs",
          "An array has no outputs, because each of its elements would report a different value.");
    }
  }

  private static boolean some(Value list) {
    return !list.isList() || !list.items(Integer.MAX_VALUE).isEmpty();
  }

  /** A test uses whole GPUs, so the job needs at least one. */
  private void preflight() {
    if (spec.preflight() == null) {
      return;
    }
    boolean parts =
        spec.roles().stream()
            .map(role -> role.gpu().kind())
            .anyMatch(kind -> kind != GpuRequest.Kind.NONE && kind != GpuRequest.Kind.WHOLE);
    boolean none =
        spec.roles().stream().allMatch(role -> role.gpu().kind() == GpuRequest.Kind.NONE);
    if (none || parts) {
      conflict(
          "preflight",
          none
              ? "A health test tests GPUs, and this job requests none: remove preflight."
              : "A health test needs whole GPUs, and this job requests parts of GPUs:"
                  + " remove preflight, or set gpu to a count.");
    }
  }

  private void gangRepair() {
    String conflict = spec.gangRepair() == null ? null : repairConflict();
    if (conflict != null) {
      conflict("gangRepair", conflict);
    }
  }

  private @Nullable String repairConflict() {
    if (!launcher.repairs()) {
      return "gangRepair needs a launcher that lets members rejoin, such as torchrun, not "
          + spec.launcher()
          + ".";
    }
    if (!spec.gang()) {
      return "gangRepair is for jobs with two or more workers: remove it.";
    }
    if (spec.elastic()) {
      return "An elastic job continues without a member lost to a fault, and grows again: remove gangRepair or the smaller "
          + "minWorkers (minCount).";
    }
    if (spec.placement().segment() != null) {
      return "Members in segments are not replaced one by one: remove gangRepair or segment.";
    }
    if (spec.onUnreachable() == OnUnreachable.AFTER_DEADLINE) {
      return "With onUnreachable: AFTER_DEADLINE the deadline of each pod counts from its own start, so a replacement member would "
          + "outlive it: remove gangRepair or onUnreachable.";
    }
    return spec.preflight() == null
        ? null
        : "The node of a replacement member is not tested first: remove gangRepair or"
            + " preflight.";
  }

  private void workdir() {
    boolean hidden =
        spec.volumes().stream()
            .anyMatch(mounted -> mounted.mountPath().equals(WorkdirSpec.DIRECTORY));
    if (spec.workdir() != null && hidden) {
      conflict(
          "workdir",
          "A volume is mounted at %s, where the code is unpacked: mount it elsewhere."
              .formatted(WorkdirSpec.DIRECTORY));
    }
  }

  /** A report belongs to an attempt, so the activity of a single member is unknown. */
  private void progress() {
    ProgressSpec progress = spec.progress();
    if (progress != null
        && progress.onTimeout() == ProgressSpec.OnTimeout.SUSPEND
        && (spec.array() != null || spec.members() > 1)) {
      conflict("progress", "onTimeout: SUSPEND needs a job with one member and without an array.");
    }
  }

  /** Reports mounts that the program does not have. */
  private void mounts() {
    NavigableSet<String> paths = new TreeSet<>(OF_EVERY_MEMBER);
    spec.volumes().stream().map(VolumeSpec::mountPath).forEach(paths::add);
    if (spec.workdir() != null) {
      paths.add(WorkdirSpec.DIRECTORY);
    }
    spec.roles().stream()
        .flatMap(role -> role.extraContainers().all())
        .forEach(container ->
            container.mounts().stream()
                .filter(path -> !paths.contains(path))
                .findFirst()
                .ifPresent(path ->
                    conflict(
                        job.has("roles") ? "roles" : "volumes",
                        "Container %s has the mount %s, but the program has only %s."
                            .formatted(container.name(), path, String.join(", ", paths)))));
  }

  private void rayPool(boolean driver) {
    boolean launched = spec.launcher().equals(RayPoolJob.LAUNCHER);
    if (driver && !launched) {
      conflict(
          "rayPool",
          "A job with rayPool is started by launcher %s: remove launcher: %s."
              .formatted(RayPoolJob.LAUNCHER, spec.launcher()));
    } else if (launched && !job.has("rayPool")) {
      conflict(
          "launcher",
          "Launcher %s needs rayPool, the name of a Ray pool of the project. For a Ray cluster of its own, use launcher: ray."
              .formatted(RayPoolJob.LAUNCHER));
    } else if (driver) {
      RayPoolJob.driverObjection(spec)
          .ifPresent(why ->
              conflict(
                  "rayPool",
                  "A job with rayPool "
                      + why
                      + ". For a Ray cluster of its own, use launcher: ray."));
    }
  }
}
