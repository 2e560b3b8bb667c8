package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.progress.service.ProgressLoop;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that are suspended after a time without activity, such as notebooks. */
class IdleSessionJourneyTest {
  private static final Duration IDLE = Duration.ofMinutes(2);
  private static final int REPORTS = 20;
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), t -> {});
  private SimulatedCluster eu;
  private final ProgressLoop loop =
      new ProgressLoop(
          fairlead.leases(),
          stores.progress(),
          stores.efficiency(),
          stores.health(),
          stores.jobs(),
          writer,
          stores.transactions(),
          stores.ids(),
          metrics);
  private final AttemptAnswers answers =
      new AttemptAnswers(
          stores.transactions(),
          stores.jobs(),
          writer,
          stores.progress(),
          stores.outputs(),
          new CheckpointLimit(Duration.ofHours(1)));

  @BeforeEach
  void aClusterWithAnAddressToCall() {
    eu = fairlead.register("eu", new FleetPool(1, 8, "H100", 1, 1));
    Cluster cluster =
        stores.inventory().clusters().stream()
            .filter(each -> each.name().equals("eu"))
            .findFirst()
            .orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().withCallback("https://fairlead.example.com")),
            null);
    pass(3);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  private Job notebook(int gpus) {
    Specs spec = Specs.job("notebook").gpus(gpus).idleAfter(IDLE);
    return fairlead.until(
        fairlead.submit(spec.annotation("sim.fairlead.dev/run-for", "5h")), JobState.RUNNING);
  }

  private Attempt newest(Job job) {
    return fairlead.attempts(job).stream()
        .max(Comparator.comparingInt(Attempt::number))
        .orElseThrow();
  }

  /** Passes the time, with a report every 20 seconds. */
  private void reporting(Job job, int seconds, Map<String, Double> metrics) {
    for (int at = 0; at < seconds; at += REPORTS) {
      Attempt attempt = newest(job);
      if (attempt.state() == AttemptState.RUNNING) {
        AttemptCredential own = new AttemptCredential(job.tenant(), job.id(), attempt.id());
        Progress report = new Progress(null, null, new TreeMap<>(metrics));
        assertThat(answers.progressed(own, attempt.id().text(), report)).isNotNull();
      }
      pass(REPORTS);
    }
  }

  private static Map<String, Double> idle(double seconds) {
    return Map.of("idle_seconds", seconds, "gpu_seen", 1.0);
  }

  /** Fails when an idle notebook holds its GPUs, frees them early, or cannot be resumed. */
  @Test
  void anIdleNotebookIsSuspendedAndResumed() {
    Job job = notebook(8);
    reporting(job, 100, idle(0));
    assertThat(newest(job).state()).isEqualTo(AttemptState.RUNNING);
    reporting(job, 120, idle(130));
    assertThat(fairlead.state(job)).isEqualTo(JobState.SUSPENDED);
    Attempt first = newest(job);
    assertThat(first.failure().message())
        .startsWith("suspended: no activity since 20")
        .contains("longer than 2m");
    assertThat(metrics.counter(Metric.IDLE_JOBS.meter(), Metric.IDLE_JOBS.tags("RECLAIM")).count())
        .isEqualTo(1);
    pass(60);
    assertThat(newest(job).live()).isFalse();
    Job next = fairlead.submit(Specs.job("next").gpus(8));
    fairlead.until(next, JobState.RUNNING);
    fairlead.commands().cancel(fairlead.ana(), next.id());
    writer.write(
        OwnerTransitions.resume(fairlead.job(job), stores.jobs().now(), "ana").orElseThrow());
    fairlead.until(job, JobState.RUNNING);
    assertThat(newest(job).number()).isEqualTo(2);
    reporting(job, 100, idle(600));
    assertThat(fairlead.state(job)).as("idle time before its start").isEqualTo(JobState.RUNNING);
  }

  /** Fails when an idle member is suspended, or its idle time counts for its later user. */
  @Test
  void theIdleTimeOfAMemberOfAWarmPoolBeginsWithItsUser() {
    Specs warm = Specs.job("h100-warm-1").gpus(8).idleAfter(IDLE).label(WarmMember.LABEL, "h100");
    Job job =
        fairlead.until(
            fairlead.submit(warm.annotation("sim.fairlead.dev/run-for", "5h")), JobState.RUNNING);
    reporting(job, 160, idle(9000));
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);

    Job session = fairlead.submit(Specs.job("eda").gpus(8).idleAfter(IDLE));
    fairlead.commands().cancel(fairlead.ana(), session.id());
    writer.write(
        List.of(
            OwnerTransitions.take(
                fairlead.job(job),
                fairlead.attempts(job).getFirst(),
                session,
                stores.jobs().now())));
    reporting(job, 100, idle(9000));
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    reporting(job, 100, idle(9000));
    assertThat(fairlead.state(job)).isEqualTo(JobState.SUSPENDED);
  }

  /** Fails when a notebook in use is suspended. */
  @Test
  void activityMovesTheEnd() {
    Job job = notebook(8);
    for (int i = 0; i < 3; i++) {
      reporting(job, 80, idle(100));
      reporting(job, 20, idle(0));
    }
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  /** Fails when unknown activity stops anything: no reports, lost reports, or unseen GPUs. */
  @Test
  void unknownActivityStopsNothing() {
    Job job = notebook(8);
    pass(200);
    assertThat(fairlead.state(job)).as("without a report").isEqualTo(JobState.RUNNING);
    reporting(job, 160, Map.of("idle_seconds", 9000.0, "gpu_seen", 0.0));
    assertThat(fairlead.state(job)).as("with unseen GPUs").isEqualTo(JobState.RUNNING);
    reporting(job, 160, Map.of("gpu_seen", 1.0));
    assertThat(fairlead.state(job)).as("with an unseen server").isEqualTo(JobState.RUNNING);
    assertThat(newest(job).number()).isEqualTo(1);
    reporting(job, 140, idle(9000));
    assertThat(fairlead.state(job)).as("known again").isEqualTo(JobState.SUSPENDED);
  }

  /** Fails when a notebook whose last report was of a short idle time counts as idle later. */
  @Test
  void reportsThatStopLeaveTheActivityUnknown() {
    Job job = notebook(8);
    reporting(job, 100, idle(90));
    pass(300);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  /** Fails when time counts during which the cluster was unreachable. */
  @Test
  void anUnreachableNotebookIsNotIdle() {
    Job job = notebook(8);
    reporting(job, 40, idle(0));
    eu.partition(true);
    reporting(job, 160, idle(0));
    eu.partition(false);
    reporting(job, 80, idle(400));
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }
}
