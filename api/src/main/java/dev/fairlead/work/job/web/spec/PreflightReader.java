package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.PreflightSpec.OnUntested;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the health test that the nodes of a job must pass before it starts. */
final class PreflightReader {
  private static final String PREFLIGHT = "preflight";
  private static final Duration LEAST = Duration.ofMinutes(1);
  private static final Duration MOST = Duration.ofDays(1);
  private static final Duration USUAL = Duration.ofMinutes(15);

  private PreflightReader() {}

  static @Nullable PreflightSpec read(Fields job) {
    Optional<Fields> given = job.get(PREFLIGHT).flatMap(Value::fields);
    Optional<String> test =
        given
            .flatMap(f -> f.required("test", "the name of a health test. Ask an operator for it."))
            .flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Duration timeout =
        given.flatMap(f -> f.get("timeout")).flatMap(v -> v.duration(LEAST, MOST)).orElse(USUAL);
    OnUntested untested =
        given
            .flatMap(f -> f.get("onUntested"))
            .flatMap(v -> v.choice(OnUntested.class))
            .orElse(OnUntested.START);
    given.ifPresent(Fields::done);
    return test.map(name -> new PreflightSpec(name, timeout, untested)).orElse(null);
  }

  /** A test uses whole GPUs, so the job needs at least one. */
  static void agree(Fields job, JobSpec spec) {
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
          PREFLIGHT,
          ProblemCode.CONFLICTING_FIELDS,
          none
              ? "A health test tests GPUs, and this job requests none: remove preflight."
              : "A health test needs whole GPUs, and this job requests parts of GPUs:"
                  + " remove preflight, or set gpu to a count.",
          null);
    }
  }
}
