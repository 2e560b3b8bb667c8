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

/** What becomes of jobs of a project that do not use their GPUs, in a body. */
final class IdlePolicyBody {
  private static final int MOST_EXEMPT = 16;
  private static final int LONGEST_VALUE = 63;
  private static final int BELOW = 5;
  private static final int MOST_BELOW = 100;

  /** Fewer samples than these say little. */
  private static final Duration SHORTEST = Duration.ofMinutes(5);

  private static final Duration LONGEST = Duration.ofDays(30);

  private IdlePolicyBody() {}

  /** How far it goes. */
  enum Mode {
    /** Nothing. */
    OFF,
    /** The owner is warned. */
    WARN,
    /** The owner is warned, and later the job is suspended. */
    RECLAIM
  }

  /**
   * What becomes of jobs that do not use their GPUs; all but the mode is null for OFF.
   *
   * @param utilisationBelow percent of utilisation below which a member is idle
   * @param warnAfter how long a job is idle before its owner is warned
   * @param reclaimAfter how long before it is suspended; null but for RECLAIM
   * @param exempt a job with one of these labels is left alone
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
   * What is asked for.
   *
   * @param mode OFF, WARN, or RECLAIM to suspend the job as well
   * @param utilisationBelow percent of utilisation below which a member is idle, from 1 to 100; 5
   *     when absent
   * @param warnAfter how long a job is idle before its owner is warned, such as 30m; from 5m to 30d
   * @param reclaimAfter how long before it is suspended, such as 2h; longer than warnAfter
   * @param exempt a job with one of these labels is left alone; at most 16
   */
  @Schema(name = "IdlePolicyRequest")
  record IdlePolicyRequest(
      Mode mode,
      @Nullable Integer utilisationBelow,
      @Nullable String warnAfter,
      @Nullable String reclaimAfter,
      @Nullable SortedMap<String, String> exempt) {}

  /** Empty with problems noted where it is none. */
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
