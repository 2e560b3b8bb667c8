package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.Incidents;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.output.ProgressReport;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.progress.service.ProgressLoop;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import dev.fairlead.work.workload.service.attempt.ReportedDevices;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs with progress reports, and the effect of their silence. */
class HangJourneyTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private SimulatedCluster eu;
  private Runnable afterDue = () -> {};
  private final JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), t -> {});
  private final ProgressLoop loop =
      new ProgressLoop(
          fairlead.leases(),
          overtaken(stores.progress()),
          stores.efficiency(),
          stores.health(),
          stores.jobs(),
          writer,
          stores.transactions(),
          stores.ids(),
          new SimpleMeterRegistry());
  private final AttemptAnswers answers =
      new AttemptAnswers(
          stores.transactions(),
          stores.jobs(),
          writer,
          stores.progress(),
          stores.outputs(),
          new CheckpointLimit(Duration.ofHours(1)));

  private final Incidents incidents =
      new Incidents(
          stores.health(),
          stores.inventory(),
          new ReportedDevices(stores.jobs(), writer),
          UnknownHolder.DEFAULT);

  @BeforeEach
  void aClusterWithAnAddressToCall() {
    eu = fairlead.register("eu", new FleetPool(2, 8, "H100", 1, 1));
    callback("https://fairlead.example.com");
    pass(3);
  }

  /** Runs an event between the read of due attempts and their judgement. */
  private ProgressStore overtaken(ProgressStore real) {
    InvocationHandler between =
        (proxy, method, arguments) -> {
          Object answer = method.invoke(real, arguments);
          if (answer instanceof List<?> due && !due.isEmpty()) {
            afterDue.run();
          }
          return answer;
        };
    return (ProgressStore)
        Proxy.newProxyInstance(
            ProgressStore.class.getClassLoader(), new Class<?>[] {ProgressStore.class}, between);
  }

  private void callback(@Nullable String address) {
    Cluster cluster =
        stores.inventory().clusters().stream()
            .filter(c -> c.name().equals("eu"))
            .findFirst()
            .orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().withCallback(address)),
            null);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  private Job running() {
    Job job =
        fairlead.submit(
            Specs.job("trains")
                .gpus(8)
                .progress(TIMEOUT)
                .annotation("sim.fairlead.dev/run-for", "5h"));
    return fairlead.until(job, JobState.RUNNING);
  }

  private Attempt newest(Job job) {
    return fairlead.attempts(job).stream()
        .max((a, b) -> Integer.compare(a.number(), b.number()))
        .orElseThrow();
  }

  private Attempt first(Job job) {
    return fairlead.attempts(job).stream().filter(a -> a.number() == 1).findFirst().orElseThrow();
  }

  private void call(Job job) {
    Attempt attempt = newest(job);
    AttemptCredential own = new AttemptCredential(job.tenant(), job.id(), attempt.id());
    assertThat(Objects.requireNonNull(answers.progressed(own, attempt.id().text(), Progress.NONE)))
        .isEqualTo(stores.jobs().now().plus(TIMEOUT));
  }

  /** Fails when calls do not count, a hang is not seen, or it uses a retry. */
  @Test
  void silentAttemptIsStoppedAndRetriedWithoutSpendingARetry() {
    Job job = running();
    for (int i = 0; i < 4; i++) {
      pass(60);
      call(job);
    }
    pass(118);
    assertThat(first(job).state()).isEqualTo(AttemptState.RUNNING);
    pass(20);
    assertThat(first(job).state()).isEqualTo(AttemptState.FAILED);
    assertThat(first(job).failure().cause()).isEqualTo(FailureCause.HANG);
    assertThat(first(job).failure().message())
        .satisfies(reason("hang-journey.progress-last-said-so", "2m"));
    String node = first(job).members().getFirst().nodeName();
    assertThat(incidents.list(node, false, null, 9))
        .singleElement()
        .isInstanceOfSatisfying(
            Incidents.View.Silent.class,
            found -> {
              assertThat(found.cluster()).isEqualTo("eu");
              assertThat(found.hang().attempt()).isEqualTo(first(job).id().text());
              assertThat(found.hang().cause()).isEqualTo("hang: no progress for 2m");
              assertThat(incidents.one(found.id())).isEqualTo(found);
            });
    assertThat(stores.inventory().nodes(null))
        .as("no node is taken out of use")
        .allMatch(n -> n.state() == NodeState.ACTIVE);
    pass(20);
    assertThat(newest(job).number()).isEqualTo(2);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.job(job).run().failures()).isZero();
    assertThat(fairlead.job(job).run().faults()).isEqualTo(1);
    call(job);
    pass(100);
    assertThat(fairlead.state(job))
        .as("the next is watched from its own start")
        .isEqualTo(JobState.RUNNING);
  }

  /** Fails when a job shows the numbers of an earlier attempt, or those of another tenant. */
  @Test
  void jobShowsTheProgressOfItsRunningAttempt() {
    Job job = running();
    Attempt before = newest(job);
    AttemptCredential own = new AttemptCredential(job.tenant(), job.id(), before.id());
    answers.progressed(own, before.id().text(), steps(1200, 5000));
    assertThat(shown(fairlead.ana(), job)).isEqualTo(steps(1200, 5000));
    Actor other = new Actor(new TenantId(stores.ids().next()), "bob", Role.TENANT_MEMBER);
    assertThat(fairlead.queries().reports(other, List.of(before))).isEmpty();

    pass(160);
    assertThat(newest(job).number()).isEqualTo(2);
    assertThat(shown(fairlead.ana(), job)).as("of the attempt before").isNull();
    assertThatThrownBy(() -> answers.progressed(own, before.id().text(), steps(1300, 5000)))
        .as("a late report")
        .isInstanceOf(Refusal.class);
    Attempt again = newest(job);
    AttemptCredential its = new AttemptCredential(job.tenant(), job.id(), again.id());
    answers.progressed(its, again.id().text(), steps(1000, 5000));
    assertThat(shown(fairlead.ana(), job)).isEqualTo(steps(1000, 5000));
  }

  private static Progress steps(long step, long total) {
    return new Progress(step, total, Collections.emptySortedMap());
  }

  private @Nullable Progress shown(Actor actor, Job job) {
    ProgressReport report = fairlead.queries().job(actor, job.id()).report();
    return report == null ? null : report.progress();
  }

  /** Fails when a program that never calls is retried forever, or is not stopped. */
  @Test
  void attemptThatNeverReportsSpendsARetry() {
    Job job = running();
    pass(140);
    assertThat(first(job).state()).isEqualTo(AttemptState.FAILED);
    assertThat(first(job).failure().cause()).isEqualTo(FailureCause.START_TIMEOUT);
    assertThat(first(job).failure().message()).satisfies(reason("hang-journey.said-so-once"));
    assertThat(fairlead.job(job).run().failures()).isEqualTo(1);
    assertThat(stores.health().hangs(null, null, 9)).as("its program may not call").isEmpty();
    pass(600);
    assertThat(fairlead.state(job)).isEqualTo(JobState.FAILED);
  }

  /** Fails when a program is ended for calls that it cannot make. */
  @Test
  void jobIsNotWatchedIfCallbacksCannotArrive() {
    callback(null);
    Job job = running();
    pass(300);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  /** Fails when a process that takes over counts time before its start. */
  @Test
  void startingLoopListensForAFullTimeoutFirst() {
    Job job = running();
    for (int i = 0; i < 200; i++) {
      fairlead.pass(Duration.ofSeconds(1));
    }
    loop.tick();
    pass(60);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    pass(70);
    assertThat(first(job).state().name()).isIn("STOPPING", "FAILED");
  }

  /** Fails when time counts in which the attempt was unreachable and its calls were lost. */
  @Test
  void clusterOutageDoesNotCountAsAHang() {
    Job job = running();
    pass(10);
    call(job);
    eu.partition(true);
    pass(90);
    assertThat(newest(job).state()).isEqualTo(AttemptState.UNKNOWN);
    eu.partition(false);
    pass(60);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(newest(job).number()).isEqualTo(1);
    pass(90);
    assertThat(first(job).failure().cause()).isEqualTo(FailureCause.HANG);
  }

  /** Fails when a step of the database's clock ends every attempt. */
  @Test
  void forwardClockStepEndsNoAttempt() {
    Job job = running();
    pass(10);
    call(job);
    fairlead.stepClock(Duration.ofHours(1));
    pass(100);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(newest(job).number()).isEqualTo(1);
    pass(50);
    assertThat(first(job).failure().cause()).isEqualTo(FailureCause.HANG);
  }

  /** Fails when the silence of a member of a warm pool stops it, or counts for its later user. */
  @Test
  void theSilenceOfAMemberOfAWarmPoolBeginsWithItsUser() {
    Specs warm = Specs.job("h100-warm-1").gpus(8).progress(TIMEOUT).label(WarmMember.LABEL, "h100");
    Job job =
        fairlead.until(
            fairlead.submit(warm.annotation("sim.fairlead.dev/run-for", "5h")), JobState.RUNNING);
    call(job);
    pass(300);
    Job session = fairlead.submit(Specs.job("eda").gpus(8).progress(TIMEOUT));
    fairlead.commands().cancel(fairlead.ana(), session.id());
    writer.write(
        List.of(
            OwnerTransitions.take(fairlead.job(job), first(job), session, stores.jobs().now())));
    pass(110);
    assertThat(first(job).state()).isEqualTo(AttemptState.RUNNING);
    pass(80);
    assertThat(first(job).failure().cause()).isEqualTo(FailureCause.HANG);
  }

  /** Fails when an attempt is stopped for a silence that its call has just ended. */
  @Test
  void progressCallDuringTheDecisionCounts() {
    Job job = running();
    pass(10);
    call(job);
    afterDue = () -> call(job);
    pass(125);
    afterDue = () -> {};
    pass(100);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(newest(job).number()).isEqualTo(1);
  }

  /** Fails when a cancel leaves the attempt watched, or a hang overwrites it. */
  @Test
  void cancelledJobIsNoLongerWatched() {
    Job job = running();
    pass(110);
    fairlead.commands().cancel(fairlead.ana(), job.id());
    pass(300);
    assertThat(fairlead.state(job)).isEqualTo(JobState.CANCELLED);
    assertThat(stores.progress().due(stores.jobs().now().plus(Duration.ofDays(1)), 9)).isEmpty();
  }

  @Test
  void attemptReportsForItselfOnly() {
    Job job = running();
    Attempt attempt = newest(job);
    AttemptCredential own = new AttemptCredential(job.tenant(), job.id(), attempt.id());
    assertThatThrownBy(() -> answers.progressed(own, "att_other", Progress.NONE))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("to a live attempt");
    Job silent =
        fairlead.until(
            fairlead.submit(
                Specs.job("silent").gpus(8).annotation("sim.fairlead.dev/run-for", "1h")),
            JobState.RUNNING);
    Attempt other = newest(silent);
    AttemptCredential its = new AttemptCredential(silent.tenant(), silent.id(), other.id());
    assertThatThrownBy(() -> answers.progressed(its, other.id().text(), Progress.NONE))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("progress.timeout");
  }
}
