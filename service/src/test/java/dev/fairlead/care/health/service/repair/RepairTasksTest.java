package dev.fairlead.care.health.service.repair;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.campaign.service.CampaignsOutOfUse;
import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.Machines;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests of accepted steps from a repairer, and the check of its answers by the machine's state.
 */
class RepairTasksTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final MeterRegistry metrics = new SimpleMeterRegistry();
  private final TestWorld world = TestWorld.in(stores);
  private final Machines machines = new Machines();
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  private final QuarantineCommands quarantines =
      new QuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          stores.audit(),
          stores.clock());
  private final Repairs repairs =
      new Repairs(
          stores.transactions(),
          stores.repairs(),
          stores.health(),
          stores.inventory(),
          stores.audit(),
          stores.clock(),
          metrics);
  private final Repairers repairers =
      new Repairers(
          stores.transactions(),
          stores.repairs(),
          stores.inventory(),
          machines,
          purpose -> Optional.of(new byte[32]),
          stores.audit());
  private boolean tests;
  private final Tenant first =
      new Tenant(new TenantId(stores.ids().next()), Tenant.FIRST, "", Tenant.State.ACTIVE, 1);
  private long nanos;
  private RepairLoop loop = loop("one");

  private RepairLoop loop(String process) {
    return new RepairLoop(
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
            () -> nanos,
            process),
        stores.repairs(),
        new CampaignsOutOfUse(stores.campaigns()),
        stores.health(),
        stores.inventory(),
        new RepairTasks(
            stores.repairs(),
            stores.health(),
            stores.inventory(),
            machines,
            machines,
            purpose -> Optional.of(new byte[32]),
            new HealthAudit(stores.audit(), stores.tenants(), stores.inventory()),
            stores.transactions(),
            stores.ids(),
            stores.clock(),
            metrics),
        stores.transactions(),
        stores.ids(),
        stores.clock(),
        metrics);
  }

  @BeforeEach
  void aNodeWithARepairer() {
    stores.transactions().run(() -> stores.tenants().insert(first));
    boots("boot-1");
    set(RepairStep.RESET_GPU, RepairStep.REBOOT, RepairStep.POWER_CYCLE);
    tick(); // a supervisor notes its cluster after the loop began to look
  }

  private void boots(String boot) {
    world.report(NodeReports.node("n1").bootId(boot).build());
  }

  private void set(RepairStep... steps) {
    set(world, steps);
  }

  private void set(TestWorld of, RepairStep... steps) {
    RepairerView _ =
        repairers.put(
            olga,
            of.cluster().name(),
            new Repairers.Draft(List.of(steps), tests, "https://public.example/repair", null),
            null,
            false);
  }

  private void tick() {
    tick(Duration.ofSeconds(10));
  }

  private void tick(Duration later) {
    tick(world, later);
  }

  /** After a contact only with the cluster of this world. */
  private void tick(TestWorld seen, Duration later) {
    stores.advance(later);
    nanos += later.toNanos();
    stores.inventory().seen(seen.cluster().id(), stores.clock().instant());
    loop.tick();
  }

  private void isolated(RepairStep step) {
    isolated("n1", step);
  }

  private void isolated(String name, RepairStep step) {
    isolated(world.node(name), step);
  }

  private void isolated(Node node, RepairStep step) {
    Instant now = stores.clock().instant();
    Incident incident =
        new Incident(
            new IncidentId(stores.ids().next()),
            node.cluster(),
            node.id(),
            node.name(),
            "GPU-1",
            null,
            79,
            "XID 79 (GPU has fallen off the bus)",
            FaultScope.NODE,
            step,
            now,
            now,
            1,
            "",
            null);
    stores
        .transactions()
        .run(() -> {
          stores.health().write(incident);
          isolation.round(node.cluster(), now).isolate(node, incident);
        });
  }

  private Repair repair() {
    return repairs.list("n1", false, null, 1).getFirst().repair();
  }

  private RepairTask task() {
    return stores.repairs().tasks(repair().id()).getLast();
  }

  private List<RepairCall.Action> asked() {
    return machines.calls.stream().map(RepairCall::action).toList();
  }

  /**
   * Fails when a step is not requested from the repairer, or its answer counts before the machine's
   * state.
   */
  @Test
  void aRebootIsDoneWhenTheRepairerSaysSoAndTheNodeHasBooted() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    assertThat(repair().message()).isEqualTo("the repairer was asked (INC-7)");

    machines.says(RepairAnswer.Word.DONE);
    tick();
    assertThat(repair().state()).as("it lies, so far").isEqualTo(RepairState.ASKED);
    assertThat(repair().message())
        .satisfies(reason("repair-tasks.says-done-but-node", "DONE"));

    boots("boot-2");
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
    assertThat(repair().steps()).extracting(Repair.Step::by).containsExactly("the repairer");
    assertThat(task().state()).isEqualTo(RepairTaskState.DONE);
    assertThat(machines.calls).extracting(c -> c.task().id()).containsOnly(task().id());
    assertThat(metrics.get("fairlead.repair.step").tag("step", "REBOOT").timer().count())
        .isEqualTo(1);

    tick();
    assertThat(machines.calls).as("nothing is asked of what is over").hasSize(3);
  }

  /** Fails when a machine is rebooted while its job has not ended. */
  @Test
  void nothingIsAskedForWhileAJobIsOnTheNode() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);
    tick();
    tick();
    assertThat(machines.calls).isEmpty();

    world.succeed(attempt);
    tick();
    assertThat(asked()).containsExactly(RepairCall.Action.REPAIR);
  }

  /** Fails when the boot of before a reboot is forgotten, as its node is missing in one report. */
  @Test
  void aNodeThatIsNotShownHasTheBootThatItShowedLast() {
    isolated(RepairStep.REBOOT);
    world.report();
    machines.says(RepairAnswer.Word.DONE);
    tick();
    boots("boot-1");
    tick();
    assertThat(repair().state()).as("it has not booted").isEqualTo(RepairState.ASKED);

    boots("boot-2");
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
  }

  /** Fails when a hanging repairer blocks a node permanently, or two steps run at the same time. */
  @Test
  void aStepThatIsNotDoneInTimeIsWithdrawnBeforeTheNext() {
    isolated(RepairStep.REBOOT);
    tick();
    assertThat(repair().message()).endsWith(": it hangs");
    tick(Duration.ofMinutes(31));
    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);
    assertThat(repair().step()).as("it may be rebooting").isEqualTo(RepairStep.REBOOT);
    assertThat(repairs.one(repair().id()).overdue()).isTrue();

    machines.says(RepairAnswer.Word.WITHDRAWN);
    tick(Duration.ofMinutes(5));
    assertThat(repair().step()).isEqualTo(RepairStep.POWER_CYCLE);
    assertThat(repair().steps().getLast().by()).satisfies(reason("repair-tasks.repairer-time"));
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    assertThat(machines.calls.getLast().task().step()).isEqualTo(RepairStep.POWER_CYCLE);
  }

  /** Fails when the repairer still works at a machine that an operator has taken over. */
  @Test
  void whatAnOperatorTakesOverIsWithdrawn() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    repairs.order(olga, repair().id(), RepairOrder.DONE, RepairStep.REBOOT, "by hand", false);
    tick();
    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);

    machines.says(RepairAnswer.Word.DONE);
    tick();
    assertThat(task().state()).as("late, and for nobody").isEqualTo(RepairTaskState.WITHDRAWN);
    assertThat(repair().steps()).hasSize(1);
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
  }

  /** Fails when a node that is back in use may still be rebooted by an order of before. */
  @Test
  void aReleaseWithdrawsWhatWasAskedFor() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.PENDING);
    tick();
    quarantines.release(olga, "n1", "it was the cable", false);
    tick();
    tick();

    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);
    assertThatThrownBy(() -> repairers.delete(olga, world.cluster().name(), null, false))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("repair-tasks.may-working-machine"));
    tick(Duration.ofHours(25));
    assertThat(task().state()).isEqualTo(RepairTaskState.LOST);
    repairers.delete(olga, world.cluster().name(), null, false);
    assertThat(stores.repairs().repairers()).isEmpty();
  }

  /** Fails when an answer to another task, or a constant answer, ends a step. */
  @Test
  void anAnswerWithoutTheNonceIsNotBelieved() {
    isolated(RepairStep.RESET_GPU);
    machines.says =
        call -> new RepairAnswer.Answered(RepairAnswer.Word.DONE, "another", false, "", "");
    tick();

    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
    assertThat(repair().message()).satisfies(reason("repair-tasks.says-done-without-nonce", "DONE"));
    machines.says(RepairAnswer.Word.DONE);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
  }

  private void testing() {
    tests = true;
    set(RepairStep.RESET_GPU, RepairStep.REBOOT);
  }

  private NodeState state() {
    return world.node("n1").state();
  }

  /** Fails when a machine returns untested, or one that passed waits for an operator. */
  @Test
  void aMachineThatPassesItsTestComesBack() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    tick();
    assertThat(asked()).endsWith(RepairCall.Action.TEST);
    assertThat(repair().message()).satisfies(reason("repair-tasks.repairer-tests-machine"));
    assertThat(state()).as("DONE is no test that was passed").isEqualTo(NodeState.QUARANTINED);

    machines.says(RepairAnswer.Word.PASSED);
    tick();
    assertThat(repair().steps()).allMatch(Repair.Step::done);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    assertThat(stores.health().standing(world.cluster().id())).isEmpty();
    boots("boot-1");
    assertThat(state()).isEqualTo(NodeState.ACTIVE);
    assertThat(audited())
        .containsExactly("orderRepair DONE", "releaseNode " + world.node("n1").id().text());
  }

  /** Changes by the repairer, the first one first. */
  private List<String> audited() {
    String actor = "repairer/" + world.cluster().name();
    AuditFilter all = new AuditFilter(actor, null, null, null, null, null);
    return stores
        .transactions()
        .call(() -> stores.audit().newest(first.id(), all, AuditPosition.END, 10))
        .reversed()
        .stream()
        .map(row -> row.operation() + " " + row.detail().getOrDefault("order", row.subject()))
        .toList();
  }

  /** Fails when a machine that fails its test returns, or gets the same step again. */
  @Test
  void aMachineThatFailsItsTestGoesOnUpTheLadder() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    assertThat(repair().state()).as("it was not asked to test").isEqualTo(RepairState.ASKED);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    machines.says(RepairAnswer.Word.FAILED);
    tick();
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(repair().steps().getLast().by()).isEqualTo("the repairer's test");
    assertThat(state()).isEqualTo(NodeState.QUARANTINED);
    tick();
    assertThat(machines.calls.getLast().task().step()).isEqualTo(RepairStep.REBOOT);
  }

  /** Fails when a hanging test returns the machine, or blocks it permanently. */
  @Test
  void aTestThatHangsIsWithdrawn() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    machines.says(RepairAnswer.Word.PENDING);
    tick(Duration.ofMinutes(61));
    tick();
    assertThat(asked()).endsWith(RepairCall.Action.WITHDRAW);
    machines.says(RepairAnswer.Word.WITHDRAWN);
    tick();
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
  }

  /** Fails when a test ends an operator's hold. */
  @Test
  void aMachineThatAnOperatorHoldsStays() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    List<Quarantine> held = quarantines.hold(olga, "n1", "I look at it", null, false);
    assertThat(held).hasSize(1);
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    tick();

    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
    assertThat(state()).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when a test ends a quarantine although its fault occurs during the test. */
  @Test
  void aMachineWhoseFaultShowsDuringTheTestStays() {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    shows("GPU-1", 79, Judgement.Verdict.FATAL, null);
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    tick();

    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
    assertThat(state()).isEqualTo(NodeState.QUARANTINED);
  }

  private void shows(
      @Nullable String gpu, int xid, Judgement.Verdict verdict, @Nullable IncidentId joined) {
    stores.advance(Duration.ofSeconds(1));
    Instant at = stores.clock().instant();
    Node node = world.node("n1");
    HealthEvent event = new HealthEvent("e-1", at, "n1", gpu, null, xid, "");
    HealthRecord row = new HealthRecord(event, node.id(), verdict, joined);
    assertThat(stores.health().insert(node.cluster(), List.of(row), at)).containsExactly("e-1");
  }

  /**
   * Fails when a test ends the quarantine of another fault that joined the incident during it: of
   * the same device, or of a machine without one. Also fails when a harmless event blocks the
   * return.
   */
  @ParameterizedTest
  @CsvSource({"GPU-1, FATAL, QUARANTINED", ", FATAL, QUARANTINED", "GPU-1, HARMLESS, ACTIVE"})
  void aMachineWhoseIncidentGrowsDuringTheTestStays(
      @Nullable String gpu, Judgement.Verdict verdict, NodeState then) {
    testing();
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    shows(gpu, 95, verdict, stores.health().isolating(world.cluster().id()).getFirst().id());
    machines.says(RepairAnswer.Word.PASSED);
    tick();
    tick();
    boots("boot-1");

    assertThat(state()).isEqualTo(then);
  }

  /** Fails when a machine that returns faulty is reset repeatedly. */
  @Test
  void aMachineThatComesBackSickGoesOnUpTheLadder() {
    isolated(RepairStep.RESET_GPU);
    machines.says(RepairAnswer.Word.DONE);
    tick();
    quarantines.release(olga, "n1", "diagnosis passed", false);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    tick(Duration.ofHours(20));
    boots("boot-1");
    isolated(RepairStep.RESET_GPU);
    tick();

    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(machines.calls.getLast().task().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(
            metrics
                .get("fairlead.repair.between")
                .tag("step", "RESET_GPU")
                .timer()
                .totalTime(TimeUnit.HOURS))
        .isBetween(20.0, 20.1);
    assertThat(machines.calls.getLast().cause()).endsWith("again within 7 days after RESET_GPU");
  }

  /** Fails when a step that the repairer does not do is not left to people. */
  @Test
  void aRefusalLeavesTheStepToOperators() {
    isolated(RepairStep.REBOOT);
    machines.says(RepairAnswer.Word.REFUSED);
    tick();
    tick();
    tick();

    assertThat(machines.calls).hasSize(1);
    assertThat(repair().message()).satisfies(reason("repair-tasks.repairer-does-do", "INC-7"));
    repairs.order(olga, repair().id(), RepairOrder.DONE, RepairStep.REBOOT, "by hand", false);
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);
  }

  /** Fails when the repairer gets steps that it does not accept. */
  @Test
  void otherStepsWaitForOperators() {
    isolated(RepairStep.SERVICE);
    tick();
    tick();
    assertThat(machines.calls).isEmpty();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
  }

  /** Fails when a process that takes over uses another key, so that the step runs twice. */
  @Test
  void anotherProcessAsksUnderTheSameKey() {
    isolated(RepairStep.REBOOT);
    tick();
    loop.close();
    loop = loop("two");
    tick();
    tick(Duration.ofSeconds(20));

    assertThat(machines.calls).hasSizeGreaterThan(1);
    assertThat(machines.calls).extracting(c -> c.task().id()).containsOnly(task().id());
  }

  /** Fails when a hanging repairer is called once for each of its tasks in a pass. */
  @Test
  void aRepairerThatHangsCostsOneCallATurn() {
    world.report(
        Stream.of("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8")
            .map(name -> NodeReports.node(name).build())
            .toArray(NodeReport[]::new));
    Stream.of("n1", "n2").forEach(name -> isolated(name, RepairStep.REBOOT));
    tick();
    assertThat(stores.repairs().tasks()).hasSize(2);
    assertThat(machines.calls).hasSize(1);
  }

  /** Fails when tasks of an unreachable cluster delay others. */
  @Test
  void tasksOfAClusterThatIsAwayKeepNoOtherWaiting() {
    set(RepairStep.SERVICE);
    reports(world);
    IntStream.rangeClosed(1, 8).forEach(i -> isolated("n" + i, RepairStep.SERVICE));
    tick();
    assertThat(stores.repairs().tasks()).hasSize(8);

    TestWorld other = TestWorld.in(stores);
    set(other, RepairStep.SERVICE);
    reports(other);
    isolated(other.node("n1"), RepairStep.SERVICE);
    loop.close();
    loop = loop("two");
    tick(other, Duration.ofMinutes(1));
    tick(other, Duration.ofMinutes(1));

    assertThat(machines.calls.getLast().task().cluster()).isEqualTo(other.cluster().id());
  }

  /** Enough nodes that the circuit breaker allows the isolation of eight. */
  private static void reports(TestWorld of) {
    of.report(
        IntStream.rangeClosed(1, 200)
            .mapToObj(i -> NodeReports.node("n" + i).build())
            .toArray(NodeReport[]::new));
  }

  /** Fails when an address inside is stored, or setting one is not audited. */
  @Test
  void anAddressInsideIsRefused() {
    assertThatThrownBy(() ->
            repairers.put(
                olga,
                world.cluster().name(),
                new Repairers.Draft(
                    List.of(RepairStep.REBOOT), false, "https://inside.example/", null),
                null,
                false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("private or reserved");
    assertThat(stores.auditEntries()).anyMatch(row -> row.operation().equals("putRepairer"));
    Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_OWNER);
    assertThatThrownBy(() -> repairers.of(ana, world.cluster().name())).isInstanceOf(Refusal.class);
  }
}
