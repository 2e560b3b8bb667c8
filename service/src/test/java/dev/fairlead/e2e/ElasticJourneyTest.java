package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gang that has more and fewer members while it runs, from the decision to the pods. */
class ElasticJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final AtomicInteger refusals = new AtomicInteger();
  private SimulatedCluster cluster;

  @BeforeEach
  void twoNodesAndAQueueThatPreempts() {
    fairlead.reachThrough(gateway ->
        Between.on(
            gateway,
            (method, arguments, real) ->
                method.getName().equals("apply")
                        && arguments[0] instanceof WorkloadAction.Launch
                        && refusals.getAndDecrement() > 0
                    ? new ActionOutcome.Refused(ActionOutcome.Why.PLACE_REFUSED, "a taint")
                    : real.now()));
    cluster = fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    ServiceParts.letQueuesPreempt(fairlead);
  }

  private static Specs job(String name, PriorityClass priority, String runFor) {
    return Specs.job(name)
        .gpus(4)
        .priority(priority)
        .annotation("sim.fairlead.dev/run-for", runFor)
        .annotation("sim.fairlead.dev/stop-after", "10s");
  }

  private static Specs elastic(String runFor) {
    return job("elastic", PriorityClass.LOW, runFor).workers(4).minWorkers(1);
  }

  private Attempt attempt(Job job) {
    return fairlead.attempts(job).getLast();
  }

  private long running(Job job) {
    return attempt(job).members().stream().filter(m -> m.state().name().equals("RUNNING")).count();
  }

  @Test
  void elasticGangStartsSmallAndGrowsWithFreeCapacity() {
    Job first = fairlead.submit(job("first", PriorityClass.NORMAL, "30s").workers(3));
    fairlead.until(first, JobState.RUNNING);
    Job elastic = fairlead.submit(elastic("300s"));
    fairlead.until(elastic, JobState.RUNNING);
    assertThat(attempt(elastic).members()).hasSize(1);

    fairlead.until(first, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofSeconds(10));

    assertThat(running(elastic)).isEqualTo(4);
    assertThat(cluster.processes()).hasSize(4);
    assertThat(attempt(elastic).number()).isEqualTo(1);
    assertThat(attempt(elastic).core()).hasSize(4);
    assertThat(placed(elastic)).as("what it began with and what joined").containsExactly(1, 3);
    fairlead.until(elastic, JobState.SUCCEEDED);
  }

  private List<Integer> placed(Job job) {
    return fairlead
        .queries()
        .decisions(fairlead.ana(), job.id(), DecisionRecord.Kind.PLACED, null)
        .stream()
        .map(span -> ((DecisionRecord.Placed) span.decided().body()).place().members())
        .toList();
  }

  @Test
  void elasticGangShrinksBeforeItIsPreempted() {
    Job elastic = fairlead.submit(elastic("600s"));
    fairlead.until(elastic, JobState.RUNNING);
    Job high = fairlead.submit(job("high", PriorityClass.HIGH, "20s").workers(2));
    fairlead.pass(Duration.ofSeconds(3));

    Blocker why =
        fairlead.stores().explanations().of(high.id()).orElseThrow().explanation().first();
    assertThat(why.reason()).isEqualTo(Reason.WAITING_FOR_VICTIMS);
    assertThat(why.numbers())
        .containsEntry("jobs", 1L)
        .containsEntry("shrinking", 1L)
        .containsEntry("gpuMilli", 8000L);
    fairlead.until(high, JobState.RUNNING);
    assertThat(attempt(elastic).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(attempt(elastic).members())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-1");
    assertThat(attempt(elastic).left()).hasSize(2);
    assertThat(fairlead.job(elastic).run().failures()).isZero();
    assertThat(fairlead.stores().counters().compare()).isEmpty();
  }

  /** Fails when GrowthPolicy allows growth immediately. */
  @Test
  void elasticGangWaitsBeforeItGrowsAgain() {
    Job elastic = fairlead.submit(elastic("1200s"));
    fairlead.until(elastic, JobState.RUNNING);
    Job high = fairlead.submit(job("high", PriorityClass.HIGH, "20s").workers(2));
    fairlead.until(high, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofMinutes(4));
    assertThat(attempt(elastic).members()).hasSize(2);

    fairlead.pass(Duration.ofMinutes(2));

    assertThat(attempt(elastic).core())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-1", "worker-4", "worker-5");
    assertThat(fairlead.attempts(elastic)).hasSize(1);
  }

  @Test
  void memberThatFailsToStartReleasesItsNodeAndTheAttemptContinues() {
    Job first = fairlead.submit(job("first", PriorityClass.NORMAL, "30s").workers(3));
    fairlead.until(first, JobState.RUNNING);
    Job elastic = fairlead.submit(elastic("600s"));
    fairlead.until(elastic, JobState.RUNNING);
    fairlead.until(first, JobState.SUCCEEDED);
    refusals.set(1);
    fairlead.pass(Duration.ofSeconds(20));

    assertThat(attempt(elastic).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(attempt(elastic).members()).hasSize(1);
    assertThat(attempt(elastic).left()).hasSize(3);
    assertThat(fairlead.stores().counters().compare()).isEmpty();
    assertThat(fairlead.job(elastic).run().failures()).isZero();
  }

  /** Fails when growth ignores waiting jobs. */
  @Test
  void elasticGangDoesNotGrowIntoCapacityThatAnotherJobWaitsFor() {
    Job first = fairlead.submit(job("first", PriorityClass.NORMAL, "30s"));
    fairlead.until(first, JobState.RUNNING);
    Job second = fairlead.submit(job("second", PriorityClass.NORMAL, "90s").workers(2));
    fairlead.until(second, JobState.RUNNING);
    Job elastic = fairlead.submit(elastic("600s"));
    fairlead.until(elastic, JobState.RUNNING);
    Job waits = fairlead.submit(job("waits", PriorityClass.LOW, "20s").workers(3));
    fairlead.until(first, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofSeconds(20));
    assertThat(attempt(elastic).members()).hasSize(1);

    fairlead.until(waits, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofSeconds(10));

    assertThat(running(elastic)).isEqualTo(4);
  }

  /** Fails when joining members are in a supervisor's memory instead of the rows. */
  @Test
  void nextSupervisorCreatesTheJoiningMembers() {
    Job first = fairlead.submit(job("first", PriorityClass.NORMAL, "30s").workers(3));
    fairlead.until(first, JobState.RUNNING);
    Job elastic = fairlead.submit(elastic("600s"));
    fairlead.until(elastic, JobState.RUNNING);
    fairlead.until(first, JobState.SUCCEEDED);
    for (int i = 0; i < 50 && attempt(elastic).members().size() == 1; i++) {
      fairlead.stores().clock().advance(Duration.ofMillis(100));
      fairlead.scheduler().tick();
    }
    assertThat(attempt(elastic).members()).hasSize(4);
    assertThat(cluster.processes()).hasSize(1);
    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");

    next.pass(Duration.ofSeconds(10));

    assertThat(cluster.processes()).hasSize(4);
    assertThat(next.attempts(elastic).getLast().core()).hasSize(4);
  }
}
