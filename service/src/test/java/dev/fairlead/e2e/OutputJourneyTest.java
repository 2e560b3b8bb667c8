package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.FleetPool;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobWriter;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Outputs from the report of the program to the reader of the job. */
class OutputJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final AttemptAnswers answers =
      new AttemptAnswers(
          stores.transactions(),
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
          stores.progress(),
          stores.outputs(),
          new CheckpointLimit(Duration.ofHours(1)));

  @BeforeEach
  void aCluster() {
    fairlead.register("eu", new FleetPool(2, 8, "H100", 1, 1));
    fairlead.pass(Duration.ofSeconds(3));
  }

  private Job running(String... outputs) {
    Job job =
        fairlead.submit(
            Specs.job("prep")
                .gpus(1)
                .outputs(outputs)
                .annotation("sim.fairlead.dev/run-for", "1m"));
    return fairlead.until(job, JobState.RUNNING);
  }

  private AttemptCredential credential(Job job) {
    Attempt attempt = fairlead.attempts(job).getLast();
    return new AttemptCredential(job.tenant(), job.id(), attempt.id());
  }

  private SortedMap<String, String> report(Job job, String name, String value) {
    AttemptCredential own = credential(job);
    return answers.output(own, own.attempt().text(), new TreeMap<>(Map.of(name, value)));
  }

  private Map<String, String> shown(Job job) {
    return fairlead
        .queries()
        .outputs(fairlead.ana(), fairlead.queries().job(fairlead.ana(), job.id()));
  }

  /** Fails when a value is lost, or changes after the end of the job. */
  @Test
  void theOutputsOfAJobAreFinalWhenItSucceeds() {
    Job job = running("model", "rows");
    report(job, "model", "s3://bucket/a");
    assertThat(report(job, "rows", "7")).hasSize(2);
    report(job, "model", "s3://bucket/b");
    assertThat(shown(job)).isEqualTo(Map.of("model", "s3://bucket/b", "rows", "7"));

    AttemptCredential own = credential(job);
    fairlead.until(job, JobState.SUCCEEDED);
    assertThatThrownBy(
            () -> answers.output(own, own.attempt().text(), new TreeMap<>(Map.of("rows", "8"))))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("speaks for no attempt");
    assertThat(shown(job)).isEqualTo(Map.of("model", "s3://bucket/b", "rows", "7"));
    Actor other = new Actor(new TenantId(stores.ids().next()), "bob", Role.TENANT_MEMBER);
    assertThat(fairlead.queries().outputs(other, fairlead.queries().job(fairlead.ana(), job.id())))
        .isEmpty();
  }

  /** Fails when a program stores any number of bytes, or under a name that nobody expects. */
  @Test
  void onlyDeclaredAndSmallOutputsAreStored() {
    Job job = running("model", "rows");
    assertThatThrownBy(() -> report(job, "modle", "x"))
        .isInstanceOfSatisfying(
            Refusal.class,
            refused ->
                assertThat(refused.problems())
                    .extracting(FieldProblem::pointer)
                    .containsExactly("/modle"))
        .hasMessageContaining("Its outputs: model, rows");
    int room = Outputs.MOST_BYTES - "model".length() - "rows".length() - 2;
    report(job, "model", "x".repeat(room));
    report(job, "rows", "\u00e9");
    assertThatThrownBy(() -> report(job, "rows", "\u00e9."))
        .isInstanceOfSatisfying(
            Refusal.class,
            refused -> assertThat(refused.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED));
    assertThat(shown(job)).containsEntry("rows", "\u00e9");
  }
}
