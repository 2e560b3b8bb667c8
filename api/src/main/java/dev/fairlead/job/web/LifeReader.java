package dev.fairlead.job.web;

import dev.fairlead.body.Fields;
import dev.fairlead.body.Names;
import dev.fairlead.body.Value;
import dev.fairlead.identity.IdKind;
import dev.fairlead.identity.IdText;
import dev.fairlead.job.ArrayRange;
import dev.fairlead.job.FailureCause;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobSpec.Dependency;
import dev.fairlead.job.JobSpec.PreemptionSpec;
import dev.fairlead.job.JobSpec.VolumeSpec;
import dev.fairlead.job.PriorityClass;
import dev.fairlead.job.RetryPolicy;
import dev.fairlead.problem.ProblemCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** When a job may start, how often it is tried, what may interrupt it, and what it mounts. */
final class LifeReader {
  static final Duration LEAST = Duration.ofSeconds(1);
  static final Duration LONGEST = Duration.ofDays(365);
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final Duration LONGEST_GRACE = Duration.ofHours(1);
  private static final int MOST_ATTEMPTS = 20;
  private static final int MOST_DEPENDENCIES = 32;
  private static final int MOST_VOLUMES = 16;
  private static final Pattern MOUNT = Pattern.compile("(/[A-Za-z0-9._-]+)+/?");
  private static final Pattern SYSTEM = Pattern.compile("/(proc|sys|dev|var/run/secrets)(/.*)?");
  private static final List<FailureCause> RETRIABLE =
      Arrays.stream(FailureCause.values()).filter(c -> c != FailureCause.PREEMPTED).toList();

  private LifeReader() {}

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
    given.ifPresent(Fields::done);
    return new PreemptionSpec(allowed, grace, least);
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
                                    + ", and %M for at most M at once, not "
                                    + value.shown(),
                                "0-99%8"))))
        .orElse(null);
  }

  static List<Dependency> dependsOn(Fields job) {
    List<Value> items = job.get("dependsOn").map(v -> v.items(MOST_DEPENDENCIES)).orElse(List.of());
    return items.stream().map(LifeReader::dependency).flatMap(Optional::stream).toList();
  }

  private static Optional<Dependency> dependency(Value value) {
    if (value.isText()) {
      return jobId(value).map(id -> new Dependency(id, Dependency.Condition.SUCCEEDED));
    }
    return value
        .fields()
        .flatMap(fields -> {
          Optional<JobId> id =
              fields.required("job", "the id of a job.").flatMap(LifeReader::jobId);
          Dependency.Condition condition =
              fields
                  .get("condition")
                  .flatMap(v -> v.choice(Dependency.Condition.class))
                  .orElse(Dependency.Condition.SUCCEEDED);
          fields.done();
          return id.map(i -> new Dependency(i, condition));
        });
  }

  private static Optional<JobId> jobId(Value value) {
    return value
        .text(64)
        .flatMap(text ->
            IdText.decode(IdKind.JOB, text)
                .map(JobId::new)
                .or(() ->
                    value.bad(
                        "must be a job's id, job_ and 26 characters, not " + value.shown(), null)));
  }

  static List<VolumeSpec> volumes(Fields job) {
    List<VolumeSpec> volumes = new ArrayList<>();
    TreeSet<String> paths = new TreeSet<>();
    for (Value item : job.get("volumes").map(v -> v.items(MOST_VOLUMES)).orElse(List.of())) {
      Optional<VolumeSpec> volume = item.fields().flatMap(LifeReader::volume);
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

  private static Optional<VolumeSpec> volume(Fields fields) {
    Optional<String> claim =
        fields.required("claim", "the name of a claim.").flatMap(Names::subdomain);
    Optional<String> path =
        fields.required("mountPath", "an absolute path.").flatMap(LifeReader::mountPath);
    boolean readOnly = fields.get("readOnly").flatMap(Value::flag).orElse(false);
    fields.done();
    return claim.flatMap(c -> path.map(p -> new VolumeSpec(c, p, readOnly)));
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
                  "must be an absolute path outside /proc, /sys and /dev, without . and .., not "
                      + value.shown(),
                  null);
        });
  }
}
