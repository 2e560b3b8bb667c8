package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.Pipelines;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pipeline from its first run to the end of a retry. */
class PipelineJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final Pipelines pipelines =
      new Pipelines(
          fairlead.stores().transactions(),
          fairlead.stores().jobs(),
          fairlead.queries(),
          fairlead.commands());
  private final AttemptAnswers answers =
      new AttemptAnswers(
          fairlead.stores().transactions(),
          fairlead.stores().jobs(),
          new JobWriter(fairlead.stores().jobs(), fairlead.stores().explanations(), t -> {}),
          fairlead.stores().progress(),
          fairlead.stores().outputs(),
          new CheckpointLimit(Duration.ofHours(1)));

  private Job prep;
  private Job train;
  private Job check;
  private Job clean;

  @BeforeEach
  void aPipelineWhoseTrainingFails() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    prep = fairlead.submit(step("prep").outputs("model"));
    train =
        fairlead.submit(
            step("train")
                .dependsOn(prep, Condition.SUCCEEDED)
                .env("MODEL", "${outputs.prep.model}")
                .annotation("sim.fairlead.dev/outcome", "fail"));
    check = fairlead.submit(step("check").dependsOn(train, Condition.SUCCEEDED));
    clean = fairlead.submit(step("clean").dependsOn(check, Condition.ENDED));
  }

  private static Specs step(String name) {
    return Specs.job(name)
        .gpus(1)
        .label(Pipeline.LABEL, "night")
        .annotation("sim.fairlead.dev/run-for", "20s");
  }

  private Pipeline night() {
    return pipelines.pipeline(fairlead.ana(), fairlead.project().name(), "night");
  }

  private List<Submitted> retry(RequestKey key) {
    return pipelines.retry(
        fairlead.ana(), fairlead.project().name(), "night", UnaryOperator.identity(), key, false);
  }

  private void toTheEndOfTheFirstRun() {
    Job running = fairlead.until(prep, JobState.RUNNING);
    String attempt = fairlead.attempts(running).getLast().id().text();
    answers.output(
        new AttemptCredential(prep.tenant(), prep.id(), fairlead.attempts(running).getLast().id()),
        attempt,
        new TreeMap<>(Map.of("model", "s3://model")));
    fairlead.pass(Duration.ofMinutes(5));
  }

  /** Fails when a retry repeats a job that succeeded, or changes the jobs of the first run. */
  @Test
  void retrySubmitsTheFailedJobsWithEdgesToTheSuccessfulOnes() {
    toTheEndOfTheFirstRun();
    assertThat(night().states()).isEqualTo(Map.of(JobState.SUCCEEDED, 2, JobState.FAILED, 2));
    assertThat(night().critical().orElseThrow().job().name()).isEqualTo("train");

    RequestKey key = new RequestKey("k", "retry");
    List<Submitted> again = retry(key);
    assertThat(again)
        .extracting(each -> each.job().name())
        .containsExactly("train", "check", "clean");
    Job retried = again.getFirst().job();
    assertThat(retried.spec().dependsOn())
        .containsExactly(new Dependency(prep.id(), Condition.SUCCEEDED));
    assertThat(again.get(1).job().spec().dependsOn())
        .containsExactly(new Dependency(retried.id(), Condition.SUCCEEDED));
    assertThat(retry(key)).extracting(Submitted::replayed).containsOnly(true);
    assertThat(night().earlier("train")).containsExactly(train.id());
    assertThat(night().critical().orElseThrow().chain()).isEqualTo(2);

    fairlead.pass(Duration.ofMinutes(1));
    assertThat(fairlead.job(retried).run().startedAt()).isNotNull();
    assertThat(fairlead.job(train).state()).isEqualTo(JobState.FAILED);
    assertThat(fairlead.job(clean).state()).isEqualTo(JobState.SUCCEEDED);
  }

  /** Fails when a job of a Ray pool starts with the address of an earlier Ray cluster. */
  @Test
  void aRetryOfAJobOfARayPoolWaitsForARayCluster() {
    toTheEndOfTheFirstRun();
    JobSpec waits = RayPoolJob.driver(step("tune").gpus(0).build(), "small");
    JobSpec assigned = RayPoolJob.assigned(waits, "small-ray-1", "ray://head:10001");
    Job driver =
        fairlead
            .commands()
            .submit(fairlead.ana(), fairlead.project().name(), new NewJob(assigned), null, false)
            .job();
    fairlead.commands().cancel(fairlead.ana(), driver.id());
    JobSpec again =
        retry(null).stream()
            .map(each -> each.job().spec())
            .filter(spec -> spec.name().equals("tune"))
            .findFirst()
            .orElseThrow();
    assertThat(RayPoolJob.pool(again)).isEqualTo("small");
    assertThat(RayPoolJob.cluster(again)).isNull();
    assertThat(RayPoolJob.address(again)).isNull();
    assertThat(again.placement()).isEqualTo(waits.placement());
  }

  /** Fails when a retry submits a replica that its service does not know, or joins its trace. */
  @Test
  void retryRepeatsNoReplicaAndStartsATrace() {
    Job replica =
        fairlead.submit(
            step("chat-1")
                .annotation(ServiceVersion.OF_SERVICE, "1")
                .annotation(TraceContext.REQUEST, TraceContext.UNKEPT.traceparent()));
    Job traced =
        fairlead.submit(
            step("traced").annotation(TraceContext.REQUEST, TraceContext.UNKEPT.traceparent()));
    fairlead.commands().cancel(fairlead.ana(), replica.id());
    fairlead.commands().cancel(fairlead.ana(), traced.id());

    List<Submitted> again = retry(null);

    assertThat(again).extracting(each -> each.job().name()).containsExactly("traced");
    assertThat(again.getFirst().job().spec().annotations())
        .doesNotContainKey(TraceContext.REQUEST)
        .containsEntry("sim.fairlead.dev/run-for", "20s");
  }

  /**
   * Fails when a read searches all jobs of a project for a label of many jobs, or loads commands.
   */
  @Test
  void aReadIsBounded() {
    AtomicInteger pages = new AtomicInteger();
    JobFilter.Cursor cursor = JobFilter.Cursor.of(prep);
    JobStore searched =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (proxy, method, given) ->
                    new JobSlice(List.of(), pages.incrementAndGet() < 1_000 ? cursor : null));
    Pipelines many =
        new Pipelines(
            fairlead.stores().transactions(), searched, fairlead.queries(), fairlead.commands());
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> many.pipeline(fairlead.ana(), fairlead.project().name(), "night"))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED));
    assertThat(pages).hasValueLessThan(100);

    assertThat(night().jobs()).allMatch(job -> job.spec().annotations().isEmpty());
  }

  /** Fails when a retry submits a second copy of a job that has not ended. */
  @Test
  void retryIsRejectedBeforeAnyFailure() {
    assertThat(night().critical().orElseThrow().job().id()).isEqualTo(prep.id());
    assertThat(night().critical().orElseThrow().chain()).isEqualTo(3);
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> retry(null))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ProblemCode.ILLEGAL_STATE));

    fairlead.commands().cancel(fairlead.ana(), train.id());
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> retry(null))
        .withMessageContainingAll("Job check ", "is QUEUED");
  }
}
