package dev.fairlead.job.web.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.body.FieldProblems;
import dev.fairlead.limit.Limit;
import dev.fairlead.limit.LimitBook;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.spec.JobSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobPatchTest {
  private final JobSpecReader reader =
      new JobSpecReader(List.of(), () -> new LimitBook(List.of(), 0));
  private final LimitBook.Bound most = new LimitBook.Bound(Limit.SPEC_BYTES, 2048, true);

  private JobSpec patched(String before, String patch) {
    JobSpec spec = reader.read(Specs.body(before).value(new FieldProblems())).orElseThrow();
    return new JobPatch(reader).apply(spec, List.of(), Specs.body(patch), most);
  }

  private static String labels(int of) {
    StringBuilder labels = new StringBuilder("labels: {");
    for (int i = 0; i < of; i++) {
      labels.append("key-").append(i).append(": ").append("v".repeat(60)).append(", ");
    }
    return labels.append("last: x}").toString();
  }

  /** Fails when a patch goes around the limit that a submit meets. */
  @Test
  void aPatchLetsNoSpecGrowBeyondTheLimit() {
    assertThatThrownBy(() -> patched("{name: a, queue: q, image: x}", "{" + labels(30) + "}"))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED))
        .hasMessageContaining("at most 2048 bytes");
  }

  /** Fails when a job that is above a lowered limit cannot be changed at all. */
  @Test
  void aSpecAboveTheLimitChangesWithoutGrowing() {
    String large =
        "{name: a, queue: q, image: x, env: {LONG: " + "y".repeat(3000) + "}, maxRuntime: 2h}";

    assertThat(patched(large, "{maxRuntime: 1h}").maxRuntime()).hasHours(1);
  }
}
