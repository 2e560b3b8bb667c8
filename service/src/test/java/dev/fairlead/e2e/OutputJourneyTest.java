package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
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

  private final List<LaunchOrder> launched = new CopyOnWriteArrayList<>();
  private final AtomicInteger provided = new AtomicInteger();

  @BeforeEach
  void aCluster() {
    fairlead.reachThrough(gateway ->
        Between.on(
            gateway,
            (method, arguments, real) -> {
              if (method.getName().equals("apply")
                  && arguments[0] instanceof WorkloadAction.Launch launch) {
                launched.add(launch.order());
              }
              if (method.getName().equals("provide")) {
                provided.incrementAndGet();
              }
              return real.now();
            }));
    Volumes.kept(stores, fairlead.project(), "data");
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
  void outputsOfAJobAreFinalWhenItSucceeds() {
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
        .hasMessageContaining("to a live attempt");
    assertThat(shown(job)).isEqualTo(Map.of("model", "s3://bucket/b", "rows", "7"));
    Actor other = new Actor(new TenantId(stores.ids().next()), "bob", Role.TENANT_MEMBER);
    assertThat(fairlead.queries().outputs(other, fairlead.queries().job(fairlead.ana(), job.id())))
        .isEmpty();
  }

  private Job trained(Job prep) {
    return fairlead.submit(
        Specs.job("train")
            .gpus(1)
            .dependsOn(prep, Condition.SUCCEEDED)
            .env("MODEL", "${outputs.prep.model}")
            .volume("data")
            .annotation("sim.fairlead.dev/run-for", "1h"));
  }

  /** Fails when a job starts before the value is final, or a new attempt gets another value. */
  @Test
  void eachAttemptOfADependentGetsTheFinalValueWhileItsSpecHasTheReference() {
    Job prep = running("model");
    Job train = trained(prep);
    report(prep, "model", "first");
    report(prep, "model", "$(HOME)\nlast");
    fairlead.until(train, JobState.RUNNING);
    fairlead.endElsewhere(train);
    fairlead.pass(Duration.ofMinutes(3));

    List<LaunchOrder> orders =
        launched.stream().filter(order -> order.job().id().equals(train.id())).toList();
    assertThat(orders).extracting(order -> order.attempt().number()).contains(1, 2);
    assertThat(provided).as("volumes of an attempt with its values").hasPositiveValue();
    assertThat(orders)
        .allSatisfy(order -> {
          assertThat(order.resolved("${outputs.prep.model}")).isEqualTo("$(HOME)\nlast");
          assertThat(order.job().spec().roles().getFirst().env())
              .containsEntry("MODEL", "${outputs.prep.model}");
        });
  }

  /**
   * Fails when a job gets nodes or a volume before it is known that it can start, or starts with
   * the text of a reference.
   */
  @Test
  void dependentOfAJobWithoutItsOutputEndsWithItsCause() {
    Job prep = running("model");
    Job train = fairlead.until(trained(prep), JobState.FAILED);

    assertThat(train.run().failure().cause()).isEqualTo(FailureCause.OUTPUT_MISSING);
    assertThat(train.run().failure().message())
        .contains("${outputs.prep.model}", "job prep ended as SUCCEEDED");
    assertThat(fairlead.attempts(train)).isEmpty();
    assertThat(launched).noneMatch(order -> order.job().id().equals(train.id()));
    assertThat(provided).hasValue(0);
  }

  /** Fails when a program stores any number of bytes, or under an unexpected name. */
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
