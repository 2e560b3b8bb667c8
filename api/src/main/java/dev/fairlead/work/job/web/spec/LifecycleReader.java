package dev.fairlead.work.job.web.spec;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.WorkdirSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads start times, retries, preemption and mounts of a job. */
final class LifecycleReader {
  static final Duration LEAST = Duration.ofSeconds(1);
  static final Duration LONGEST = Duration.ofDays(365);
  static final int MOST_DEPENDENCIES = 32;
  static final int MOST_VOLUMES = 16;

  private LifecycleReader() {}

  static PreemptionSpec preemption(Fields job, PriorityClass priority) {
    return BodyBinder.part(job, "preemption", SubmitJobRequest.Preemption.class)
        .orElse(SubmitJobRequest.Preemption.NONE)
        .spec(priority.preemptible());
  }

  /** The maximum time without a progress report, null for a job without one. */
  static @Nullable ProgressSpec progress(Fields job) {
    return BodyBinder.part(job, "progress", SubmitJobRequest.Progress.class)
        .map(SubmitJobRequest.Progress::spec)
        .orElse(null);
  }

  /** Reports parts of a job that the rest of the job excludes. */
  static void agree(Fields job, JobSpec spec) {
    preflight(job, spec);
    gangRepair(job, spec);
    workdir(job, spec);
    progress(job, spec);
  }

  /** A report belongs to an attempt, so the activity of a single member is unknown. */
  private static void progress(Fields job, JobSpec spec) {
    ProgressSpec progress = spec.progress();
    if (progress != null
        && progress.onTimeout() == ProgressSpec.OnTimeout.SUSPEND
        && (spec.array() != null || spec.members() > 1)) {
      job.refuse(
          "progress",
          ProblemCode.CONFLICTING_FIELDS,
          "onTimeout: SUSPEND needs a job with one member and without an array.",
          null);
    }
  }

  static RetryPolicy retry(Fields job) {
    return BodyBinder.part(job, "retry", SubmitJobRequest.Retry.class)
        .map(SubmitJobRequest.Retry::policy)
        .orElse(RetryPolicy.DEFAULT);
  }

  static @Nullable ArrayRange array(Fields job) {
    return job.get("array")
        .flatMap(value ->
            value
                .text(20)
                .flatMap(text ->
                    ArrayRange.parse(text)
                        .or(() ->
                            value.bad(
                                "must be 0-N with N below "
                                    + ArrayRange.MOST
                                    + ", with %M for at most M elements at the same time, such"
                                    + " as 0-99%8, not "
                                    + value.shown(),
                                null))))
        .orElse(null);
  }

  /** Dependencies by id. See {@link #named}. */
  static List<Dependency> dependsOn(Fields job) {
    return needed(job).stream().flatMap(each -> each.byId().stream()).toList();
  }

  /** Dependencies by name, in order. */
  static List<NewJob.Named> named(Fields job) {
    List<DependencyRequest> all = needed(job);
    return IntStream.range(0, all.size())
        .filter(i -> all.get(i).byId().isEmpty())
        .mapToObj(i -> all.get(i).byName(i))
        .toList();
  }

  private static List<DependencyRequest> needed(Fields job) {
    boolean array = job.has("array");
    return job.get("dependsOn").map(v -> v.items(MOST_DEPENDENCIES)).orElse(List.of()).stream()
        .flatMap(item -> DependencyRequest.read(item, array).stream())
        .toList();
  }

  static List<VolumeSpec> volumes(Fields job) {
    List<VolumeSpec> volumes = new ArrayList<>();
    TreeSet<String> paths = new TreeSet<>();
    for (Value item : job.get("volumes").map(v -> v.items(MOST_VOLUMES)).orElse(List.of())) {
      Optional<VolumeSpec> volume =
          BodyBinder.part(item, VolumeRequest.class).map(VolumeRequest::spec);
      volume.ifPresent(volumes::add);
      if (volume.isPresent() && !paths.add(volume.get().mountPath())) {
        item.refuse(
            ProblemCode.CONFLICTING_FIELDS,
            "Two volumes are mounted at " + volume.get().mountPath(),
            null);
      }
    }
    return volumes;
  }

  static SortedMap<String, Integer> licences(Fields job) {
    SortedMap<String, Integer> licences = new TreeMap<>();
    job.get("licences")
        .map(v -> v.entries(Licence.KINDS))
        .orElse(new TreeMap<>())
        .forEach((name, count) -> {
          if (Names.isLabel(name, Names.LONGEST_LABEL)) {
            count.integer(1, Licence.MOST).ifPresent(asked -> licences.put(name, asked));
          } else {
            count.refuse(
                ProblemCode.INVALID_FIELD,
                "A licence is named by a DNS label of at most 63 characters.",
                null);
          }
        });
    return licences;
  }

  /** A test uses whole GPUs, so the job needs at least one. */
  private static void preflight(Fields job, JobSpec spec) {
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
      job.refuse(
          "preflight",
          ProblemCode.CONFLICTING_FIELDS,
          none
              ? "A health test tests GPUs, and this job requests none: remove preflight."
              : "A health test needs whole GPUs, and this job requests parts of GPUs:"
                  + " remove preflight, or set gpu to a count.",
          null);
    }
  }

  private static void gangRepair(Fields job, JobSpec spec) {
    String conflict = spec.gangRepair() == null ? null : conflict(spec);
    if (conflict != null) {
      job.refuse("gangRepair", ProblemCode.CONFLICTING_FIELDS, conflict, null);
    }
  }

  private static @Nullable String conflict(JobSpec spec) {
    if (!Launchers.of(spec.launcher()).repairs()) {
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

  private static void workdir(Fields job, JobSpec spec) {
    boolean hidden =
        spec.volumes().stream()
            .anyMatch(mounted -> mounted.mountPath().equals(WorkdirSpec.DIRECTORY));
    if (spec.workdir() != null && hidden) {
      job.refuse(
          "workdir",
          ProblemCode.CONFLICTING_FIELDS,
          "A volume is mounted at %s, where the code is unpacked: mount it elsewhere."
              .formatted(WorkdirSpec.DIRECTORY),
          null);
    }
  }
}
