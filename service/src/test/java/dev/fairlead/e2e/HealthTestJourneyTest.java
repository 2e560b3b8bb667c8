package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.healthtest.service.HealthTestLoop;
import dev.fairlead.care.healthtest.service.HealthTestView;
import dev.fairlead.care.healthtest.service.HealthTests;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of nodes as jobs, started by the clock or an operator, and their effect on the node. */
class HealthTestJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final HealthTests tests =
      new HealthTests(
          stores.transactions(),
          stores.healthTests(),
          stores.configs(),
          stores.inventory(),
          FairleadSubmits.of(fairlead),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final HealthTestLoop loop = ServiceParts.healthTests(fairlead, metrics);

  @BeforeEach
  void aFleet() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pass(3);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  private Specs job(String outcome) {
    return Specs.job("t")
        .maxRuntime(Duration.ofSeconds(60))
        .annotation("sim.fairlead.dev/run-for", "5s")
        .annotation("sim.fairlead.dev/outcome", outcome);
  }

  private HealthTest set(Specs job, @Nullable Duration every, int atOnce) {
    HealthTest test =
        new HealthTest(
            "dcgm",
            fairlead.ana().tenant(),
            "project",
            job.build(),
            every,
            Duration.ofSeconds(60),
            atOnce,
            RepairStep.REBOOT,
            "",
            Instant.EPOCH);
    HealthTestView set = tests.put(fairlead.operator(), test, false);
    return stores.healthTests().test(set.name()).orElseThrow();
  }

  private List<HealthTestRun> runs() {
    return stores.healthTests().runs("dcgm", null, null, 99).reversed();
  }

  private HealthTestRun asked(Node node) {
    String run = tests.run(fairlead.operator(), "dcgm", node.name(), false).id();
    return runs().stream().filter(each -> each.id().text().equals(run)).findFirst().orElseThrow();
  }

  private HealthTestRun now(HealthTestRun run) {
    return stores.healthTests().run(run.id()).orElseThrow();
  }

  private List<Node> nodes() {
    return stores.inventory().nodes(null);
  }

  private Node node(HealthTestRun run) {
    return stores.inventory().node(run.node()).orElseThrow();
  }

  private Job jobOf(HealthTestRun run) {
    return stores.jobs().findAll(List.of(now(run).job())).getFirst();
  }

  /** Fails when nodes are tested too early, too many at a time, or twice. */
  @Test
  void idleNodesAreTestedInBatchesUntilAllAreTested() {
    set(job("success"), Duration.ofDays(7), 2);
    pass(55);
    assertThat(runs()).isEmpty();
    pass(40);
    assertThat(runs()).hasSize(2).allMatch(run -> run.job() != null);
    pass(120);
    assertThat(runs())
        .hasSize(4)
        .allMatch(run -> run.outcome() == HealthTestOutcome.PASSED)
        .extracting(HealthTestRun::node)
        .doesNotHaveDuplicates();
    assertThat(jobOf(runs().getFirst()).user()).isEqualTo("health-tests");
    assertThat(fairlead.attempts(jobOf(runs().getFirst())).getFirst().members())
        .allMatch(member -> member.nodeName().equals(runs().getFirst().nodeName()))
        .allMatch(member -> member.request().gpuMilli() == 8000);
    pass(200);
    assertThat(runs()).as("nothing is due for a week").hasSize(4);
    assertThat(tests.all().getFirst().tested()).isEqualTo(4);
  }

  /** Fails when a failed test opens no incident, or leaves its node in use. */
  @Test
  void failingNodeIsTakenOutOfUse() {
    set(job("fail").annotation("sim.fairlead.dev/exit-code", "3"), null, 1);
    HealthTestRun run = asked(nodes().get(2));
    pass(20);
    assertThat(now(run).outcome()).isEqualTo(HealthTestOutcome.FAILED);
    assertThat(node(run).state()).isEqualTo(NodeState.QUARANTINED);
    Incident incident = stores.health().open(List.of(run.node())).getFirst();
    assertThat(incident.cause()).startsWith("test dcgm failed: ").contains("3");
    assertThat(incident.step()).isEqualTo(RepairStep.REBOOT);
    assertThat(now(run).message()).contains(incident.id().text()).contains("takes nothing new");
    assertThat(nodes()).filteredOn(n -> n.state() == NodeState.QUARANTINED).hasSize(1);
  }

  /** A test that hangs everywhere: fails when nodes are isolated, or when it never stops. */
  @Test
  void hangingTestTakesNoNodeOutOfUseAndStops() {
    set(job("hang"), Duration.ofDays(7), 1);
    pass(600);
    assertThat(runs())
        .hasSize(3)
        .allMatch(run -> run.outcome() == HealthTestOutcome.HUNG)
        .allMatch(run -> run.message().contains("maxRuntime"));
    assertThat(nodes()).allMatch(node -> node.state() == NodeState.ACTIVE);
    assertThat(tests.all().getFirst().message()).contains("passed on no node");
    assertThat(metrics.get("fairlead.health-tests.doubted").gauge().value()).isEqualTo(1);

    set(job("success"), Duration.ofDays(7), 4);
    pass(60);
    assertThat(tests.all().getFirst().message()).isEmpty();
    assertThat(runs()).as("set again, it goes on with the fourth node").hasSize(4);
  }

  /** Fails when a wrong test isolates a fleet: the breaker has to stop it. */
  @Test
  void testFailingEverywhereIsStoppedByTheBreaker() {
    set(job("fail"), Duration.ofDays(7), 4);
    pass(300);
    assertThat(runs()).hasSize(4).allMatch(run -> run.outcome() == HealthTestOutcome.FAILED);
    assertThat(nodes()).filteredOn(n -> n.state() == NodeState.QUARANTINED).hasSize(1);
    assertThat(runs()).anyMatch(run -> run.message().contains("not isolated: 1 of 4 GPU nodes"));
  }

  /** Fails when the job of a test blocks its node for another job. */
  @Test
  void jobPreemptsARunningTest() {
    ServiceParts.letQueuesPreempt(fairlead);
    set(job("success").annotation("sim.fairlead.dev/run-for", "50s"), null, 1);
    List<HealthTestRun> four = nodes().stream().map(this::asked).toList();
    pass(10);
    assertThat(four).allMatch(run -> jobOf(run).state() == JobState.RUNNING);
    Job wanted = fairlead.submit(Specs.job("wanted").gpus(8).priority(PriorityClass.HIGH));
    pass(10);
    assertThat(fairlead.state(wanted)).isEqualTo(JobState.RUNNING);
    List<HealthTestRun> gone =
        four.stream().map(this::now).filter(r -> r.outcome() != null).toList();
    assertThat(gone)
        .singleElement()
        .satisfies(run -> {
          assertThat(run.outcome()).isEqualTo(HealthTestOutcome.INTERRUPTED);
          assertThat(jobOf(run).state()).isEqualTo(JobState.CANCELLED);
          assertThat(node(run).state()).isEqualTo(NodeState.ACTIVE);
        });
  }

  /** Fails when a busy node leaves a run open permanently. */
  @Test
  void runWithoutCapacityIsAbandoned() {
    Job busy =
        fairlead.until(
            fairlead.submit(
                Specs.job("busy").gpus(8).annotation("sim.fairlead.dev/run-for", "30m")),
            JobState.RUNNING);
    String name = fairlead.attempts(busy).getFirst().members().getFirst().nodeName();
    Node node = nodes().stream().filter(n -> n.name().equals(name)).findFirst().orElseThrow();
    set(job("success"), null, 1);
    HealthTestRun run = asked(node);
    assertThatThrownBy(() -> asked(node))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("being tested");
    pass(620);
    assertThat(now(run).outcome()).isEqualTo(HealthTestOutcome.INTERRUPTED);
    assertThat(now(run).message()).contains("not placed within 10 minutes");
    assertThat(tests.all().getFirst().message()).contains("INTERRUPTED", "was not placed");
    assertThat(fairlead.state(busy)).isEqualTo(JobState.RUNNING);
  }

  /** A process that died after the submit: fails when its successor submits a second job. */
  @Test
  void runIsSubmittedOnceDespiteFailuresInBetween() {
    set(job("success"), null, 1);
    HealthTestRun run = asked(nodes().getFirst());
    pass(1);
    JobId first = now(run).job();
    stores.healthTests().update(run); // as if its job had not been recorded
    pass(10);
    assertThat(now(run).outcome()).isEqualTo(HealthTestOutcome.PASSED);
    assertThat(now(run).job()).isEqualTo(first);
  }

  /** Fails when a missing image isolates nodes. */
  @Test
  void unrunnableTestReportsIt() {
    set(job("image-error"), null, 1);
    HealthTestRun run = asked(nodes().getFirst());
    pass(1200);
    assertThat(now(run).outcome()).isEqualTo(HealthTestOutcome.BROKEN);
    assertThat(node(run).state()).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when runs of frequently tested jobs grow without bound. */
  @Test
  void oldRunsAreDeletedInAnyNumber() {
    Node node = nodes().getFirst();
    Instant old = stores.clock().instant().minus(Duration.ofDays(400));
    for (int i = 0; i < 2500; i++) {
      HealthTestRun run =
          HealthTestRun.of(new HealthTestRunId(stores.ids().next()), "dcgm", node, null, old);
      stores.healthTests().insert(run.ended(HealthTestOutcome.PASSED, "", old));
    }
    pass(630);
    assertThat(runs()).isEmpty();
  }

  @Test
  void invalidHealthTestIsRejected() {
    HealthTest elsewhere =
        set(job("success").gpu(GpuRequest.whole(8, "A100")), Duration.ofDays(1), 1);
    assertThat(tests.all().getFirst().nodes()).isZero();
    assertThat(tests.all().getFirst().message())
        .satisfies(reason("health-test-journey.node-fleet"));
    assertThatThrownBy(() -> asked(nodes().getFirst()))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("does not cover");
    assertThatThrownBy(() -> tests.put(fairlead.ana(), elsewhere, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("putHealthTest");
    assertThatThrownBy(() -> tests.run(fairlead.ana(), "dcgm", "x", false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("runHealthTest");
  }

  /** Fails when the history of a health test is missing, or does not refer to its old job. */
  @Test
  void aChangeOfAHealthTestIsReverted() {
    Actor operator = fairlead.operator();
    HealthTest first = set(Specs.job("t").gpus(8).maxRuntime(Duration.ofMinutes(1)), null, 1);
    HealthTest second = set(Specs.job("t").gpus(4).maxRuntime(Duration.ofMinutes(2)), null, 1);
    ConfigVersion change =
        stores
            .audit()
            .versions(
                operator.tenant(), EnumSet.of(ConfigKind.HEALTH_TEST), "dcgm", Long.MAX_VALUE, 1)
            .getFirst();
    assertThat(second.job()).isNotEqualTo(first.job());

    tests.revert(new RevertRequest(operator, change, false));

    assertThat(stores.healthTests().test("dcgm").orElseThrow().job()).isEqualTo(first.job());
    assertThatThrownBy(() -> tests.revert(new RevertRequest(operator, change, false)))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("health-test-journey.changed-after-version"));
  }
}
