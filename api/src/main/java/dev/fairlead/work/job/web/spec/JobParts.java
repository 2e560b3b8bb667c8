package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.spec.WorkdirSpec;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Objects in a job. */
final class JobParts {
  private JobParts() {}

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

  /** Reads {@code block}, {@code prefer block}, or an object with level and mode. */
  static final class TopologyReader extends FieldReader<TopologySpec> {
    private static final int LONGEST_LEVEL = 40;
    private static final String PREFER = "prefer ";

    @Override
    protected Optional<TopologySpec> read(Value value) {
      if (!value.isText()) {
        return BodyBinder.part(value, Topology.class).map(Topology::spec);
      }
      String text = value.text(PREFER.length() + LONGEST_LEVEL).orElse("");
      boolean soft = text.startsWith(PREFER);
      String level = soft ? text.substring(PREFER.length()) : text;
      return Names.isWord(level) && level.length() <= LONGEST_LEVEL
          ? Optional.of(new Topology(level, soft ? TopologySpec.Mode.PREFERRED : null).spec())
          : value.bad(
              "must be a level such as block, or \"prefer block\", not " + value.shown(), null);
    }
  }

  /**
   * Groups of members inside one domain of a level.
   *
   * @param size number of members in a group
   * @param level level of the topology, such as rack
   */
  @Schema(name = "SegmentRequest")
  record Segment(
      @Min(1) @Max(RoleRequest.MOST_MEMBERS) Integer size,
      @Size(min = 1, max = Names.LONGEST_LABEL)
          @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
          String level) {
    PlacementSpec.Segment spec() {
      return new PlacementSpec.Segment(size, level);
    }
  }

  /**
   * Maximum number of members per domain of a level.
   *
   * @param level level of the topology, such as rack
   * @param maxPerDomain maximum number of members in one domain
   */
  @Schema(name = "SpreadRequest")
  record Spread(
      @Size(min = 1, max = Names.LONGEST_LABEL)
          @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
          String level,
      @Min(1) @Max(RoleRequest.MOST_MEMBERS) Integer maxPerDomain) {
    PlacementSpec.Spread spec() {
      return new PlacementSpec.Spread(level, maxPerDomain);
    }
  }

  /**
   * A key of a secret of the project.
   *
   * @param secret name of the secret
   * @param key key of the secret
   */
  @Schema(name = "SecretKeyRequest")
  record SecretKey(
      @DnsLabel String secret,
      @Size(min = 1, max = ProjectSecret.LONGEST_KEY)
          @Pattern(
              regexp = "^[-._a-zA-Z0-9]+$",
              message = "must contain only letters, digits, -, _ and .")
          String key) {
    RoleSpec.SecretKey spec() {
      return new RoleSpec.SecretKey(secret, key);
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
      return Optional.of(choices(value, RETRIABLE));
    }
  }

  /** A list without repetitions. */
  static <E extends Enum<E>> List<E> choices(Value value, List<E> allowed) {
    List<E> chosen = new ArrayList<>();
    for (Value item : value.items(allowed.size() * 2)) {
      Optional<E> choice = item.choice(allowed);
      if (choice.isPresent() && chosen.contains(choice.get())) {
        item.bad("is given twice", null);
      } else {
        choice.ifPresent(chosen::add);
      }
    }
    return chosen;
  }
}
