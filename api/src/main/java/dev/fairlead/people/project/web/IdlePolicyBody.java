package dev.fairlead.people.project.web;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.TextFields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.tenant.IdlePolicy;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** The policy for jobs of a project that do not use their GPUs, in request and response bodies. */
final class IdlePolicyBody {
  private static final int MOST_EXEMPT = 16;
  private static final int BELOW = 5;

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
   * @param exempt labels of exempt jobs. A job with any of these labels is exempt
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
   * @param exempt labels of exempt jobs, at most 16. A job with any of these labels is exempt
   */
  @Schema(name = "IdlePolicyRequest")
  record IdlePolicyRequest(
      Mode mode,
      @Min(1) @Max(100) @Nullable Integer utilisationBelow,
      @Schema(implementation = String.class) @DurationMin(minutes = 5) @DurationMax(days = 30)
          @Nullable Duration warnAfter,
      @Schema(implementation = String.class) @DurationMin(minutes = 5) @DurationMax(days = 30)
          @Nullable Duration reclaimAfter,
      @JsonDeserialize(using = Exempt.class) @Nullable SortedMap<String, String> exempt)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      for (String field : List.of("utilisationBelow", "warnAfter", "reclaimAfter", "exempt")) {
        boolean excess = mode == Mode.OFF || mode == Mode.WARN && field.equals("reclaimAfter");
        if (excess && given.contains(field)) {
          conflicts.put(field, "does not apply to mode " + mode + ": remove it");
        }
      }
      if (mode != null && mode != Mode.OFF && !given.contains("warnAfter")) {
        conflicts.put("warnAfter", "is missing: a duration such as 30m");
      }
      if (mode == Mode.RECLAIM && !given.contains("reclaimAfter")) {
        conflicts.put("reclaimAfter", "is missing: a duration such as 2h");
      }
      return conflicts;
    }

    @Override
    public void check(Fields given) {
      if (mode == Mode.RECLAIM
          && warnAfter != null
          && reclaimAfter != null
          && reclaimAfter.compareTo(warnAfter) <= 0) {
        given.refuse(
            "reclaimAfter",
            ProblemCode.CONFLICTING_FIELDS,
            "reclaimAfter must be longer than warnAfter.",
            null);
      }
    }

    /** The policy, null for OFF. */
    @Nullable IdlePolicy policy() {
      return mode == Mode.OFF
          ? null
          : new IdlePolicy(
              utilisationBelow == null ? BELOW : utilisationBelow,
              Objects.requireNonNull(warnAfter),
              reclaimAfter,
              exempt == null ? Collections.emptySortedMap() : exempt);
    }
  }

  /** Reads labels of jobs. */
  static final class Exempt extends TextFields {
    Exempt() {
      super(MOST_EXEMPT, Labels.LONGEST_KEY, Names.LONGEST_LABEL);
    }

    /** A key without a value would exempt no job that has the label. */
    @Override
    protected Optional<String> text(Value value, int longest) {
      return value.text(longest);
    }
  }
}
