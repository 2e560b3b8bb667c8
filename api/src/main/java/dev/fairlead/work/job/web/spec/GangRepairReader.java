package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads whether a failed member of a gang is replaced. */
final class GangRepairReader {
  private static final String REPAIR = "gangRepair";

  private GangRepairReader() {}

  static @Nullable GangRepairSpec read(Fields job) {
    Optional<Fields> given = job.get(REPAIR).flatMap(Value::fields);
    Optional<Integer> max =
        given
            .flatMap(
                f -> f.required("max", "the maximum number of members replaced in one attempt: 3."))
            .flatMap(v -> v.integer(1, GangRepairSpec.MOST));
    given.ifPresent(Fields::done);
    return max.map(GangRepairSpec::new).orElse(null);
  }

  static void agree(Fields job, JobSpec spec) {
    String conflict = spec.gangRepair() == null ? null : conflict(spec);
    if (conflict != null) {
      job.refuse(REPAIR, ProblemCode.CONFLICTING_FIELDS, conflict, null);
    }
  }

  private static @Nullable String conflict(JobSpec spec) {
    if (!Launchers.of(spec.launcher()).repairs()) {
      return "gangRepair needs a launcher whose members can rejoin, such as torchrun, not "
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
          + "outlive it: remove one of them.";
    }
    return spec.preflight() == null
        ? null
        : "The node of a replacement member is not tested first: remove gangRepair or"
            + " preflight.";
  }
}
