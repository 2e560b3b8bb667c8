package dev.fairlead.work.job.web.spec;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads start times, retries, preemption and mounts of a job. */
final class LifecycleReader {
  static final Duration LEAST = Duration.ofSeconds(1);
  static final Duration LONGEST = Duration.ofDays(365);
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final Duration LONGEST_GRACE = Duration.ofHours(1);
  private static final Duration LEAST_PROGRESS = Duration.ofMinutes(1);
  private static final Duration LONGEST_PROGRESS = Duration.ofDays(1);
  private static final int MOST_ATTEMPTS = 20;
  private static final int MOST_DEPENDENCIES = 32;
  private static final int MOST_VOLUMES = 16;
  private static final Pattern MOUNT = Pattern.compile("(/[A-Za-z0-9._-]+)+/?");
  private static final Pattern SYSTEM =
      Pattern.compile("/(proc|sys|dev|var/run/(secrets|fairlead))(/.*)?");
  private static final List<FailureCause> RETRIABLE =
      Arrays.stream(FailureCause.values())
          .filter(c -> c != FailureCause.PREEMPTED)
          .filter(c -> c != FailureCause.STOPPED && c != FailureCause.DEPENDENCY_FAILED)
          .filter(c -> c != FailureCause.CHECK_REJECTED && c != FailureCause.OUTPUT_MISSING)
          .filter(c -> c != FailureCause.SKIPPED)
          .toList();

  private LifecycleReader() {}

  static PreemptionSpec preemption(Fields job, PriorityClass priority) {
    Optional<Fields> given = job.get("preemption").flatMap(Value::fields);
    boolean allowed =
        given.flatMap(f -> f.get("allowed")).flatMap(Value::flag).orElse(priority.preemptible());
    Duration grace =
        given
            .flatMap(f -> f.get("gracePeriod"))
            .flatMap(v -> v.duration(Duration.ZERO, LONGEST_GRACE))
            .orElse(GRACE);
    Duration least =
        given
            .flatMap(f -> f.get("minRuntime"))
            .flatMap(v -> v.duration(Duration.ZERO, LONGEST))
            .orElse(Duration.ZERO);
    Duration checkpoint =
        given
            .flatMap(f -> f.get("checkpointTimeout"))
            .flatMap(v -> v.duration(LEAST, LONGEST_GRACE))
            .orElse(null);
    given.ifPresent(Fields::done);
    return new PreemptionSpec(allowed, grace, least, checkpoint);
  }

  /** The maximum time without a progress report, null for a job without one. */
  static @Nullable ProgressSpec progress(Fields job) {
    Optional<Fields> given = job.get("progress").flatMap(Value::fields);
    Optional<Duration> timeout =
        given
            .flatMap(f ->
                f.required(
                    "timeout", "the time without a call after which the job counts as hung: 10m."))
            .flatMap(v -> v.duration(LEAST_PROGRESS, LONGEST_PROGRESS));
    ProgressSpec.OnTimeout then =
        given
            .flatMap(f -> f.get("onTimeout"))
            .flatMap(v -> v.choice(ProgressSpec.OnTimeout.class))
            .orElse(ProgressSpec.OnTimeout.RETRY);
    given.ifPresent(Fields::done);
    return timeout.map(time -> new ProgressSpec(time, then)).orElse(null);
  }

  /** A report belongs to an attempt, so the activity of a single member is unknown. */
  static void agree(Fields job, JobSpec spec) {
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
    Optional<Fields> given = job.get("retry").flatMap(Value::fields);
    int attempts =
        given
            .flatMap(f -> f.get("maxAttempts"))
            .flatMap(v -> v.integer(1, MOST_ATTEMPTS))
            .orElse(RetryPolicy.DEFAULT.maxAttempts());
    List<FailureCause> on =
        given
            .flatMap(f -> f.get("on"))
            .map(v -> PlacementReader.choices(v, RETRIABLE))
            .orElse(RetryPolicy.DEFAULT.on());
    given.ifPresent(Fields::done);
    return new RetryPolicy(attempts, on);
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

  /** A dependency in a request: on an id, or on the name of a job of the same project. */
  private record Needed(String job, Dependency.Condition condition, boolean perElement) {
    Optional<JobId> id() {
      return IdText.decode(IdKind.JOB, job).map(JobId::new);
    }
  }

  /** Dependencies by id. See {@link #named}. */
  static List<Dependency> dependsOn(Fields job) {
    return needed(job).stream()
        .flatMap(n -> n.id().map(id -> new Dependency(id, n.condition(), n.perElement())).stream())
        .toList();
  }

  /** Dependencies by name, in order. */
  static List<NewJob.Named> named(Fields job) {
    List<Needed> all = needed(job);
    return IntStream.range(0, all.size())
        .filter(i -> all.get(i).id().isEmpty())
        .mapToObj(i ->
            new NewJob.Named(i, all.get(i).job(), all.get(i).condition(), all.get(i).perElement()))
        .toList();
  }

  private static List<Needed> needed(Fields job) {
    List<Value> items = job.get("dependsOn").map(v -> v.items(MOST_DEPENDENCIES)).orElse(List.of());
    boolean array = job.get("array").isPresent();
    return items.stream().map(item -> needed(item, array)).flatMap(Optional::stream).toList();
  }

  private static Optional<Needed> needed(Value value, boolean array) {
    if (value.isText()) {
      return jobText(value).map(job -> new Needed(job, Dependency.Condition.SUCCEEDED, false));
    }
    return value
        .fields()
        .flatMap(fields -> {
          Optional<String> id =
              fields
                  .required("job", "the name of a job of this project, or a job's id.")
                  .flatMap(LifecycleReader::jobText);
          Dependency.Condition condition =
              fields
                  .get("condition")
                  .flatMap(v -> v.choice(Dependency.Condition.class))
                  .orElse(Dependency.Condition.SUCCEEDED);
          Optional<Value> each = fields.get("perElement");
          boolean perElement = each.flatMap(Value::flag).orElse(false);
          if (perElement && !array) {
            each.orElseThrow()
                .refuse(
                    ProblemCode.CONFLICTING_FIELDS,
                    "perElement needs array: each element waits for the element of the same index"
                        + " of the other job",
                    null);
          }
          fields.done();
          return id.map(i -> new Needed(i, condition, perElement));
        });
  }

  private static Optional<String> jobText(Value value) {
    Optional<String> text = value.text(64);
    if (text.isEmpty()
        || IdText.decode(IdKind.JOB, text.get()).isPresent()
        || Names.isLabel(text.get(), JobSpecReader.LONGEST_NAME)) {
      return text;
    }
    return value.bad(
        "must be the name of a job of this project, or a job's id (job_ and 26 characters), not "
            + value.shown(),
        null);
  }

  static List<VolumeSpec> volumes(Fields job) {
    List<VolumeSpec> volumes = new ArrayList<>();
    TreeSet<String> paths = new TreeSet<>();
    for (Value item : job.get("volumes").map(v -> v.items(MOST_VOLUMES)).orElse(List.of())) {
      Optional<VolumeSpec> volume = item.fields().flatMap(LifecycleReader::volume);
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

  /** A volume, a claim, or a secret, which is mounted read-only. */
  private static Optional<VolumeSpec> volume(Fields fields) {
    List<String> given = Stream.of("volume", "claim", "secret").filter(fields::has).toList();
    if (given.isEmpty()) {
      Optional<Value> _ =
          fields.required(
              "volume",
              "the name of a volume of the project, or claim the name of a claim, or secret the"
                  + " name of a secret.");
    } else if (given.size() > 1) {
      fields.refuse(
          given.getLast(),
          ProblemCode.CONFLICTING_FIELDS,
          "A volume has exactly one of volume, claim and secret.",
          null);
    }
    Optional<String> secret =
        fields.get("secret").flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<String> volume =
        fields.get("volume").flatMap(v -> Names.label(v, Volume.LONGEST_NAME));
    Optional<String> claim = fields.get("claim").flatMap(Names::subdomain);
    Optional<String> path =
        fields.required("mountPath", "an absolute path.").flatMap(LifecycleReader::mountPath);
    boolean readOnly = fields.get("readOnly").flatMap(Value::flag).orElse(fields.has("secret"));
    if (fields.has("secret") && !readOnly) {
      fields.refuse(
          "readOnly", ProblemCode.CONFLICTING_FIELDS, "A secret is mounted for reading.", "true");
    }
    fields.done();
    return path.flatMap(p ->
        secret
            .map(name -> VolumeSpec.ofSecret(name, p))
            .or(() -> volume.map(name -> VolumeSpec.ofVolume(name, p, readOnly)))
            .or(() -> claim.map(name -> VolumeSpec.ofClaim(name, p, readOnly))));
  }

  private static Optional<String> mountPath(Value value) {
    return value
        .text(512)
        .flatMap(text -> {
          boolean dots =
              List.of(text.split("/")).stream()
                  .anyMatch(part -> part.equals("..") || part.equals("."));
          return MOUNT.matcher(text).matches() && !dots && !SYSTEM.matcher(text).matches()
              ? Optional.of(text)
              : value.bad(
                  "must be an absolute path outside /proc, /sys and /dev, without . and .., not"
                      + " "
                      + value.shown(),
                  null);
        });
  }
}
