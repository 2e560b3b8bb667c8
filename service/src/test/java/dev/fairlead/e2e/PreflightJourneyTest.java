package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.service.HealthTestLoop;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PreflightSpec.OnUntested;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs whose nodes are tested before they start, from the reservation to its end. */
class PreflightJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final HealthTestLoop loop = ServiceParts.healthTests(fairlead, new SimpleMeterRegistry());

  @BeforeEach
  void aFleet() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pass(3);
    set("success");
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  /** The test, which ends so after 20 seconds. */
  private void set(String outcome) {
    set(outcome, GpuRequest.NONE);
  }

  private void set(String outcome, GpuRequest gpu) {
    HealthTest test =
        new HealthTest(
            "dcgm",
            fairlead.ana().tenant(),
            "project",
            Specs.job("t")
                .gpu(gpu)
                .maxRuntime(Duration.ofMinutes(5))
                .annotation("sim.fairlead.dev/run-for", "20s")
                .annotation("sim.fairlead.dev/outcome", outcome)
                .build(),
            null,
            Duration.ZERO,
            1,
            RepairStep.REBOOT,
            "olga",
            stores.clock().instant());
    ConfigStore documents = stores.configs();
    ConfigDocument<HealthTest> _ =
        documents.put(
            documents
                .find(HealthTest.DOCUMENTS, null, "dcgm")
                .map(old -> old.with(test))
                .orElseGet(test::document));
  }

  private Specs gang(int members, OnUntested onUntested) {
    return Specs.job("train")
        .workers(members)
        .gpus(8)
        .annotation("sim.fairlead.dev/run-for", "1h")
        .preflight("dcgm", Duration.ofMinutes(2), onUntested);
  }

  private List<HealthTestRun> runs() {
    return stores.healthTests().runs("dcgm", null, null, 99).reversed();
  }

  private List<Reservation> places() {
    return stores.reservations().all();
  }

  private Blocker why(Job job) {
    return stores.explanations().of(job.id()).orElseThrow().explanation().blockers().getFirst();
  }

  private Set<String> nodesOf(Attempt attempt) {
    return attempt.members().stream().map(Member::nodeName).collect(Collectors.toSet());
  }

  private Job testJob(HealthTestRun run) {
    return stores.jobs().findAll(List.of(run.job())).getFirst();
  }

  private List<NodeState> states() {
    return stores.inventory().nodes(null).stream().map(Node::state).distinct().toList();
  }

  /**
   * Fails when the job starts during its tests, on other nodes than tested, or does not report why.
   */
  @Test
  void gangStartsOnTheNodesThatPassed() {
    Job job = fairlead.submit(gang(2, OnUntested.WAIT));
    pass(10);
    assertThat(fairlead.attempts(job)).isEmpty();
    assertThat(runs())
        .hasSize(2)
        .allMatch(run -> run.wanted().job().equals(job.id()) && run.wanted().gpus() == 8)
        .allMatch(run -> testJob(run).state() == JobState.RUNNING);
    assertThat(places()).singleElement().matches(r -> r.kind() == Reservation.Kind.PREFLIGHT);
    assertThat(why(job).reason()).isEqualTo(Reason.PREFLIGHT);
    assertThat(why(job).message())
        .contains("0 of its 2 nodes (eu)", "test dcgm", "waits for the others until");
    assertThat(why(job).numbers()).containsEntry("nodes", 2L).containsEntry("passed", 0L);

    pass(50);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(runs()).allMatch(run -> run.outcome() == HealthTestOutcome.PASSED);
    Attempt attempt = fairlead.attempts(job).getFirst();
    assertThat(nodesOf(attempt))
        .isEqualTo(runs().stream().map(HealthTestRun::nodeName).collect(Collectors.toSet()));
    assertThat(attempt.number()).isEqualTo(1);
    assertThat(places()).isEmpty();
  }

  /** Fails when another job gets the nodes during the test. */
  @Test
  void noOtherJobUsesANodeUnderTest() {
    Job job = fairlead.submit(gang(4, OnUntested.WAIT));
    pass(10);
    Job rival =
        fairlead.submit(Specs.job("rival").gpus(8).annotation("sim.fairlead.dev/run-for", "1h"));
    pass(60);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.state(rival)).isEqualTo(JobState.QUEUED);
  }

  /**
   * Fails when a failed test does not count as a fault of its node, costs a retry, or the job
   * returns to the node.
   */
  @Test
  void failingNodeIsTakenOutOfUseAndTheJobStartsElsewhere() {
    set("fail");
    Job job = fairlead.submit(gang(1, OnUntested.START));
    pass(12);
    HealthTestRun failed = runs().getFirst();
    set("success");
    pass(90);
    assertThat(stores.healthTests().run(failed.id()).orElseThrow().outcome())
        .isEqualTo(HealthTestOutcome.FAILED);
    assertThat(stores.inventory().node(failed.node()).orElseThrow().state())
        .isEqualTo(NodeState.QUARANTINED);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    Attempt attempt = fairlead.attempts(job).getFirst();
    assertThat(attempt.number()).isEqualTo(1);
    assertThat(nodesOf(attempt)).doesNotContain(failed.nodeName());
  }

  /** Fails when a test of some GPUs of a node stops other jobs on the node. */
  @Test
  void testOfAFractionOfANodeLeavesOtherJobsThere() {
    Job other =
        fairlead.until(
            fairlead.submit(
                Specs.job("other").gpus(4).annotation("sim.fairlead.dev/run-for", "1h")),
            JobState.RUNNING);
    set("fail");
    Job job = fairlead.submit(gang(1, OnUntested.START).gpus(4));
    pass(12);
    set("success");
    pass(60);
    HealthTestRun failed = runs().getFirst();
    assertThat(failed.outcome()).isEqualTo(HealthTestOutcome.FAILED);
    assertThat(nodesOf(fairlead.attempts(other).getFirst())).containsExactly(failed.nodeName());
    assertThat(stores.inventory().node(failed.node()).orElseThrow().state())
        .isEqualTo(NodeState.QUARANTINED);
    assertThat(fairlead.attempts(other)).hasSize(1);
    assertThat(fairlead.state(other)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  /**
   * Fails when a queue that is full for a moment leaves nodes untested, or speaks against the test.
   */
  @Test
  void testsOverTheQueueLimitAreSubmittedLater() {
    oneAtATime();
    Job job = fairlead.submit(gang(3, OnUntested.WAIT));
    pass(70);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(runs()).hasSize(3).allMatch(run -> run.outcome() == HealthTestOutcome.PASSED);
  }

  /** Each user has one job that waits in each queue at most. */
  private void oneAtATime() {
    for (QuotaNode node : stores.quotas().nodes(fairlead.ana().tenant())) {
      QueueSettings queue = node.queue();
      if (queue != null) {
        stores
            .quotas()
            .update(
                node.with()
                    .queue(
                        new QueueSettings(
                            queue.order(),
                            queue.state(),
                            null,
                            false,
                            queue.flavorFallback(),
                            queue.routing(),
                            new UserLimits(null, null, 1, null),
                            RunLimits.NONE,
                            RunLimits.NONE,
                            null,
                            List.of()))
                    .version(node.version() + 1)
                    .build());
      }
    }
  }

  /** Fails when a hanging test isolates its node, or blocks the job permanently. */
  @Test
  void jobConfiguredForItStartsDespiteAHangingTest() {
    set("hang");
    Job job = fairlead.submit(gang(2, OnUntested.START));
    pass(110);
    assertThat(fairlead.attempts(job)).isEmpty();
    pass(60);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(runs())
        .hasSize(2)
        .allMatch(run -> run.outcome() == HealthTestOutcome.INTERRUPTED)
        .allMatch(run -> run.message().contains("2m"))
        .allMatch(run -> testJob(run).state() == JobState.CANCELLED);
    assertThat(states()).containsExactly(NodeState.ACTIVE);
  }

  /**
   * Fails when a job that waits for tested nodes starts on untested nodes, or tries the same nodes
   * again.
   */
  @Test
  void jobWaitingForTestedNodesAvoidsUntestableOnes() {
    set("image-error");
    Job job = fairlead.submit(gang(4, OnUntested.WAIT));
    pass(400);
    assertThat(fairlead.attempts(job)).isEmpty();
    assertThat(runs()).hasSize(4);
    assertThat(places()).isEmpty();
    assertThat(why(job).reason()).isEqualTo(Reason.BACKING_OFF);
    assertThat(states()).containsExactly(NodeState.ACTIVE);

    set("success");
    fairlead.stepClock(Duration.ofHours(1));
    pass(120);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  /** Fails when a cancel leaves a test, a reservation or a device behind. */
  @Test
  void aCancelLeavesNothingBehind() {
    Job job = fairlead.submit(gang(2, OnUntested.START));
    pass(10);
    fairlead.commands().cancel(fairlead.ana(), job.id());
    pass(20);
    assertThat(fairlead.state(job)).isEqualTo(JobState.CANCELLED);
    assertThat(places()).isEmpty();
    assertThat(runs())
        .hasSize(2)
        .allMatch(run -> run.outcome() == HealthTestOutcome.INTERRUPTED && run.wanted().over())
        .allMatch(run -> testJob(run).state() == JobState.CANCELLED);
    assertThat(stores.inventory().nodes(null)).allMatch(n -> n.allocated().pods() == 0);
  }

  /** Fails when a job retains a reservation on a drained node. */
  @Test
  void aJobWhoseNodeIsDrainedIsTestedElsewhere() {
    Job job = fairlead.submit(gang(1, OnUntested.WAIT));
    pass(10);
    HealthTestRun first = runs().getFirst();
    fairlead.drains().drainNode(fairlead.operator(), first.node().text(), null, false);
    pass(60);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(nodesOf(fairlead.attempts(job).getFirst())).doesNotContain(first.nodeName());
  }

  /** A process that died: fails when its successor tests a node twice or forgets one. */
  @Test
  void unrecordedRunIsSubmittedOnce() {
    Job job = fairlead.submit(gang(2, OnUntested.WAIT));
    pass(10);
    HealthTestRun run = runs().getFirst();
    stores
        .healthTests()
        .update(run.with().actor(null).job(null).outcome(null).message("").endedAt(null).build());
    pass(60);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(runs()).hasSize(2).allMatch(r -> r.outcome() == HealthTestOutcome.PASSED);
    assertThat(stores.healthTests().run(run.id()).orElseThrow().job()).isEqualTo(run.job());
  }

  /** Fails when nodes that passed a moment ago are tested again for the same job. */
  @Test
  void restartedJobIsNotTestedAgainImmediately() {
    Job job = fairlead.submit(gang(1, OnUntested.WAIT));
    pass(60);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    fairlead.endElsewhere(job);
    pass(60);
    assertThat(fairlead.attempts(job)).hasSize(2);
    assertThat(runs()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void invalidPreflightIsRejected() {
    Specs unknown =
        gang(1, OnUntested.START).preflight("nccl", Duration.ofMinutes(2), OnUntested.START);
    assertThatThrownBy(() -> fairlead.submit(unknown))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("\"nccl\" does not exist");
    set("success", GpuRequest.whole(8));
    assertThatThrownBy(() -> fairlead.submit(gang(1, OnUntested.START).gpus(4)))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("preflight-journey.needs-gpus-node-member", 8, 4));
  }
}
