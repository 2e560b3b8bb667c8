package dev.fairlead.people.project.web;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.tenant.IdlePolicy;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The policy for jobs of a project that do not use their GPUs, in request and response bodies. */
final class IdlePolicyBody {
  private static final int MOST_EXEMPT = 16;
  private static final int LONGEST_VALUE = 63;
  private static final int BELOW = 5;
  private static final int MOST_BELOW = 100;

  /** Fewer samples than these are not significant. */
  private static final Duration SHORTEST = Duration.ofMinutes(5);

  private static final Duration LONGEST = Duration.ofDays(30);

  private IdlePolicyBody() {}

  /** Actions of the policy. */
  enum Mode {
    /** No action. */
    OFF,
    /** The owner is warned. */
    WARN,
    /** The owner is warned, and later the job is suspended. */
    RECLAIM
  }

  /**
   * The policy for jobs that do not use their GPUs. All fields except the mode are null for OFF.
   *
   * @param utilisationBelow utilisation in percent below which a member is idle
   * @param warnAfter idle time before the owner is warned
   * @param reclaimAfter idle time before the job is suspended, null except for RECLAIM
   * @param exempt labels of exempt jobs. Any of them exempts a job
   */
  record IdlePolicyResponse(
      Mode mode,
      @Nullable Integer utilisationBelow,
      @Nullable String warnAfter,
      @Nullable String reclaimAfter,
      @Nullable SortedMap<String, String> exempt) {
    static IdlePolicyResponse of(@Nullable IdlePolicy policy) {
      if (policy == null) {
        return new IdlePolicyResponse(Mode.OFF, null, null, null, null);
      }
      Duration reclaim = policy.reclaimAfter();
      return new IdlePolicyResponse(
          reclaim == null ? Mode.WARN : Mode.RECLAIM,
          policy.below(),
          DurationText.of(policy.warnAfter()),
          reclaim == null ? null : DurationText.of(reclaim),
          policy.exempt());
    }
  }

  /**
   * The new policy for jobs that do not use their GPUs.
   *
   * @param mode mode: OFF, WARN, or RECLAIM to suspend the job as well
   * @param utilisationBelow utilisation in percent below which a member is idle, from 1 to 100, 5
   *     when absent
   * @param warnAfter idle time before the owner is warned, such as 30m, from 5m to 30d
   * @param reclaimAfter idle time before the job is suspended, such as 2h, longer than warnAfter
   * @param exempt labels of exempt jobs, at most 16. Any of them exempts a job
   */
  @Schema(name = "IdlePolicyRequest")
  record IdlePolicyRequest(
      Mode mode,
      @Nullable Integer utilisationBelow,
      @Nullable String warnAfter,
      @Nullable String reclaimAfter,
      @Nullable SortedMap<String, String> exempt) {}

  /** Returns empty, with problems, if the value is not a valid policy. */
  static Optional<Projects.Change.Idle> read(Value value) {
    Optional<Fields> object = value.fields();
    if (object.isEmpty()) {
      return Optional.empty();
    }
    Fields fields = object.get();
    Optional<Mode> mode =
        fields.required("mode", "OFF, WARN or RECLAIM.").flatMap(v -> v.choice(Mode.class));
    if (mode.isEmpty() || mode.get() == Mode.OFF) {
      fields.done();
      return mode.map(off -> new Projects.Change.Idle(null));
    }
    int below = fields.get("utilisationBelow").flatMap(v -> v.integer(1, MOST_BELOW)).orElse(BELOW);
    Optional<Duration> warn =
        fields
            .required("warnAfter", "a duration such as 30m.")
            .flatMap(v -> v.duration(SHORTEST, LONGEST));
    Optional<Duration> reclaim =
        mode.get() == Mode.WARN
            ? Optional.empty()
            : fields
                .required("reclaimAfter", "a duration such as 2h.")
                .flatMap(v -> v.duration(SHORTEST, LONGEST));
    SortedMap<String, String> exempt =
        fields.get("exempt").map(IdlePolicyBody::labels).orElse(new TreeMap<>());
    fields.done();
    if (warn.isPresent() && reclaim.isPresent() && reclaim.get().compareTo(warn.get()) <= 0) {
      fields.refuse(
          "reclaimAfter",
          ProblemCode.CONFLICTING_FIELDS,
          "reclaimAfter must be longer than warnAfter.",
          null);
    }
    return warn.map(after ->
        new Projects.Change.Idle(new IdlePolicy(below, after, reclaim.orElse(null), exempt)));
  }

  private static SortedMap<String, String> labels(Value value) {
    SortedMap<String, String> labels = new TreeMap<>();
    value
        .entries(MOST_EXEMPT)
        .forEach(
            (key, label) -> label.text(LONGEST_VALUE).ifPresent(text -> labels.put(key, text)));
    return labels;
  }
}
