package dev.fairlead.work.job.web.spec;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobPatchTest {
  private final JobSpecReader reader =
      new JobSpecReader(List.of(), () -> new LimitBook(List.of(), 0));
  private final JobSpecReader.Bounds most =
      new JobSpecReader.Bounds(
          new LimitBook.Bound(Limit.SPEC_BYTES, 2048, true),
          new LimitBook.Bound(Limit.MAX_RUNTIME, 200 * 3600, false));

  private JobSpec patched(String before, String patch) {
    JobSpec spec = reader.read(Specs.body(before).value(new FieldProblems())).orElseThrow();
    return new JobPatch(reader).apply(spec, List.of(), Specs.body(patch), most, longest -> null);
  }

  private JobSpec patchedWhileItRuns(CapacityType on, String before, String patch) {
    return patched(running(on), before, patch);
  }

  private static Attempt running(CapacityType on) {
    Member member =
        Member.planned(
            "worker",
            0,
            new NodeId(new UUID(1, 1)),
            "node-1",
            new Flavor("H100", on),
            ResourceVector.of(1000, 1000, 8000, 1),
            List.of());
    return new Attempt(
        new AttemptId(new UUID(2, 1)),
        new JobId(new UUID(3, 1)),
        0,
        1,
        new ClusterId(new UUID(4, 1)),
        1,
        Instant.EPOCH,
        AttemptStatus.of(AttemptState.RUNNING).withStartedAt(Instant.EPOCH),
        List.of(member),
        List.of());
  }

  private JobSpec patched(Attempt attempt, String before, String patch) {
    JobSpec spec = reader.read(Specs.body(before).value(new FieldProblems())).orElseThrow();
    return new JobPatch(reader)
        .apply(
            spec, List.of(attempt), Specs.body(patch), most, longest -> hourly(longest.toHours()));
  }

  /** Ten dollars an hour, for a run time of at most four days. */
  private static @Nullable Money hourly(long hours) {
    return hours > 96 ? null : new Money(10_000_000 * hours, "USD");
  }

  private static String labels(int of) {
    StringBuilder labels = new StringBuilder("labels: {");
    for (int i = 0; i < of; i++) {
      labels.append("key-").append(i).append(": ").append("v".repeat(60)).append(", ");
    }
    return labels.append("last: x}").toString();
  }

  /** Fails when a patch bypasses the limit that applies to a submit. */
  @Test
  void patchCannotGrowASpecBeyondTheLimit() {
    assertThatThrownBy(() -> patched("{name: a, queue: q, image: x}", "{" + labels(30) + "}"))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED))
        .hasMessageContaining("at most 2048 bytes");
  }

  /** Fails when pods end at a limit other than the job's, or a job runs twice before it. */
  @Test
  void enforcedRuntimeCannotBePatchedWhileTheJobRuns() {
    String job = "{name: a, queue: q, image: x, run: a, onUnreachable: %s%s}";
    for (String[] change :
        new String[][] {{", maxRuntime: 1h", "2h"}, {", maxRuntime: 2h", "1h"}, {"", "1h"}}) {
      String patch = "{maxRuntime: " + change[1] + "}";
      assertThatThrownBy(() ->
              patchedWhileItRuns(
                  CapacityType.RESERVED, job.formatted("AFTER_DEADLINE", change[0]), patch))
          .hasMessageContaining("suspend the job");
      assertThat(patched(job.formatted("AFTER_DEADLINE", change[0]), patch).maxRuntime())
          .isNotNull();
      assertThat(
              patchedWhileItRuns(CapacityType.RESERVED, job.formatted("WAIT", change[0]), patch)
                  .maxRuntime())
          .isNotNull();
    }
    String same = job.formatted("AFTER_DEADLINE", ", maxRuntime: 1h");
    assertThat(patchedWhileItRuns(CapacityType.RESERVED, same, "{labels: {a: b}}").labels())
        .containsEntry("a", "b");
  }

  /** Fails when a repaired gang cannot be patched, or is mistaken for an elastic one. */
  @Test
  void jobWithGangRepairIsPatchedAndStaysOfFixedSize() {
    String before =
        "{name: a, queue: q, image: x, run: a, workers: 4, launcher: torchrun,"
            + " gangRepair: {max: 3}}";

    assertThat(patched(before, "{labels: {team: nlp}}").gangRepair())
        .isEqualTo(new GangRepairSpec(3));
    JobSpec smaller = patched(before, "{workers: 2}");
    assertThat(smaller.members()).isEqualTo(2);
    assertThat(smaller.elastic()).isFalse();
    assertThatThrownBy(() -> patched(before, "{workers: 1}"))
        .as("one alone has no name at which others could meet")
        .hasMessageContaining("gangRepair");
    Attempt running = running(CapacityType.RESERVED);
    Attempt repaired =
        running.with(running.members(), List.of(running.members().getFirst().left(Instant.EPOCH)));
    assertThatThrownBy(() -> patched(repaired, before, "{workers: 5}"))
        .hasMessageContaining("minWorkers");
  }

  /** Fails when a job whose cost was compared for an hour runs for a hundred under the same cap. */
  @Test
  void runningJobCannotBypassItsMaxCost() {
    String capped =
        "{name: a, queue: q, image: x, gpu: 8, maxRuntime: 2h,"
            + " placement: {maxCost: 30, currency: USD}}";

    assertThatThrownBy(
            () -> patchedWhileItRuns(CapacityType.ON_DEMAND, capped, "{maxRuntime: 100h}"))
        .hasMessageContaining("while the job runs");
    assertThatThrownBy(() -> patchedWhileItRuns(CapacityType.ON_DEMAND, capped, "{maxRuntime: 4h}"))
        .hasMessageContainingAll("40.00 USD", "maxCost of 30.00 USD");
    assertThat(patchedWhileItRuns(CapacityType.ON_DEMAND, capped, "{maxRuntime: 3h}").maxRuntime())
        .as("within the cap")
        .hasHours(3);
    assertThat(patchedWhileItRuns(CapacityType.ON_DEMAND, capped, "{maxRuntime: 1h}").maxRuntime())
        .hasHours(1);
    assertThat(patchedWhileItRuns(CapacityType.RESERVED, capped, "{maxRuntime: 3h}").maxRuntime())
        .hasHours(3);
    assertThat(patched(capped, "{maxRuntime: 3h}").maxRuntime()).as("it waits").hasHours(3);
  }

  /**
   * Fails when a patch bypasses the limit of runtimes, or a runtime beyond it cannot be reduced.
   */
  @Test
  void patchCannotExceedTheRuntimeLimit() {
    String longer = "{name: a, queue: q, image: x, maxRuntime: 300h}";

    assertThat(patched("{name: a, queue: q, image: x}", "{maxRuntime: 300h}").maxRuntime())
        .as("it had none")
        .hasHours(300);
    assertThat(patched(longer, "{maxRuntime: 250h}").maxRuntime()).hasHours(250);
    assertThat(patched(longer, "{labels: {a: b}}").maxRuntime()).hasHours(300);
    assertThatThrownBy(() -> patched(longer, "{maxRuntime: null}"))
        .satisfies(
            problem(
                "job-patch.job-maxruntime-most-none", "maxRuntime", "200h", "maxRuntimeSeconds"));
    assertThatThrownBy(() -> patched(longer, "{maxRuntime: 301h}"))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED));
  }

  /** Fails when a job above a lowered limit can no longer be changed. */
  @Test
  void specAboveTheLimitCanBePatchedIfItDoesNotGrow() {
    String large =
        "{name: a, queue: q, image: x, env: {LONG: " + "y".repeat(3000) + "}, maxRuntime: 2h}";

    assertThat(patched(large, "{maxRuntime: 1h}").maxRuntime()).hasHours(1);
  }
}
