package dev.fairlead.care.healthtest.service;

import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.submit.PreflightRules;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PreflightSpec;
import org.springframework.stereotype.Component;

/** {@link PreflightRules} by the health tests that administrators have set. */
@Component
public class KnownPreflights implements PreflightRules {
  private static final String TEST = "/preflight/test";
  private final HealthTestStore tests;

  public KnownPreflights(HealthTestStore tests) {
    this.tests = tests;
  }

  @Override
  public void known(JobSpec spec) {
    PreflightSpec asked = spec.preflight();
    if (asked == null) {
      return;
    }
    HealthTest test =
        tests
            .test(asked.test())
            .orElseThrow(() ->
                refused(
                    ("Health test \"%s\" does not exist. Ask an operator for its name, or omit"
                            + " preflight.")
                        .formatted(asked.test())));
    int wanted = test.job().roles().getFirst().gpu().count();
    int least =
        spec.roles().stream()
            .map(role -> role.gpu())
            .filter(gpu -> gpu.kind() == GpuRequest.Kind.WHOLE)
            .mapToInt(GpuRequest::count)
            .min()
            .orElse(0);
    if (wanted > least) {
      throw refused(
          "Health test \"%s\" needs %d GPUs of a node, and a member of this job has %d: request more GPUs, or name another test."
              .formatted(asked.test(), wanted, least));
    }
  }

  private static Refusal refused(String detail) {
    return Refusal.field(TEST, detail);
  }
}
