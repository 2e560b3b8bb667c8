package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.DomainNodes;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairAnswer.Word;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.care.health.repair.RepairerCalls;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.care.health.service.repair.RepairLoop;
import dev.fairlead.care.health.service.repair.RepairTasks;
import dev.fairlead.care.health.service.repair.Repairers;
import dev.fairlead.care.health.service.repair.Repairs;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.service.NodeJanitors;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A faulty machine from its fault to its return, with a repairer that may report wrong results. */
class RepairerTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(23);
  private final SimulatedCluster eu = fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
  private final MemoryStores stores = fairlead.stores();
  private final HealthIntake intake = ServiceParts.intake(stores);
  private final Repairs repairs =
      new Repairs(
          stores.transactions(),
          stores.repairs(),
          stores.health(),
          stores.inventory(),
          stores.audit(),
          stores.clock(),
          fairlead.metrics());
  private Function<RepairCall, RepairAnswer> says = call -> answer(call, Word.PENDING, false);
  private final RepairerCalls machines =
      new RepairerCalls() {
        @Override
        public Optional<String> refuses(Repairer repairer) {
          return Optional.empty();
        }

        @Override
        public RepairAnswer ask(RepairCall call) {
          return says.apply(call);
        }
      };
  private final RepairLoop loop =
      new RepairLoop(
          fairlead.leases(),
          stores.repairs(),
          () -> new TreeSet<>(),
          stores.health(),
          stores.inventory(),
          new RepairTasks(
              stores.repairs(),
              stores.health(),
              stores.inventory(),
              machines,
              new NodeJanitors(fairlead.gateways()),
              purpose -> Optional.of(new byte[32]),
              new HealthAudit(stores.audit(), stores.tenants(), stores.inventory()),
              stores.transactions(),
              stores.ids(),
              stores.clock(),
              fairlead.metrics()),
          stores.transactions(),
          stores.ids(),
          stores.clock(),
          fairlead.metrics());
  private Job job;
  private Node sick;

  private void asks(@Nullable String url) {
    new Repairers(
            stores.transactions(),
            stores.repairs(),
            stores.inventory(),
            machines,
            purpose -> Optional.of(new byte[32]),
            stores.audit())
        .put(
            fairlead.operator(),
            "eu",
            new Repairers.Settings(List.of(RepairStep.POWER_CYCLE), true, url, null),
            null,
            false);
  }

  @BeforeEach
  void aJobOnANode() {
    stores
        .transactions()
        .run(() ->
            stores
                .tenants()
                .insert(
                    new Tenant(
                        new TenantId(stores.ids().next()),
                        Tenant.FIRST,
                        "",
                        Tenant.State.ACTIVE,
                        1)));
    asks("https://public.example/repair");
    job =
        fairlead.until(
            fairlead.submit(
                Specs.job("train").gpus(8).annotation("sim.fairlead.dev/run-for", "10h")),
            JobState.RUNNING);
    sick = node(attempt(0).members().getFirst().nodeName());
    pass(Duration.ofSeconds(5));
  }

  private static RepairAnswer answer(RepairCall call, Word word, boolean off) {
    return new RepairAnswer.Answered(word, call.task().nonce(), off, "INC-7", "");
  }

  private Attempt attempt(int number) {
    return fairlead.attempts(job).get(number);
  }

  private Node node(String name) {
    return stores.inventory().nodes(null).stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The job never has two processes. */
  private void pass(Duration time) {
    for (long left = time.toSeconds(); left > 0; left--) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
      assertThat(eu.processes()).as("processes of one job").hasSizeLessThanOrEqualTo(1);
    }
  }

  private void fault() {
    HealthEvent event =
        new HealthEvent(
            "e-1",
            stores.clock().instant(),
            sick.name(),
            sick.gpus().getFirst().serial(),
            null,
            79,
            "");
    assertThat(intake.take(fairlead.operator(), "eu", List.of(event))).hasSize(1);
  }

  private Repair repair() {
    return stores.repairs().repairs(sick.id(), false, null, 1).getFirst();
  }

  private void force() {
    repairs.order(
        fairlead.operator(),
        repair().id(),
        RepairOrder.FORCE,
        RepairStep.POWER_CYCLE,
        "it does not answer",
        false);
  }

  /** Fails when a step from a fault to the return of its machine is missing. */
  @Test
  void aFaultyMachineIsDrainedPowerCycledTestedAndReturned() {
    fault();
    pass(Duration.ofSeconds(60));
    assertThat(attempt(0).failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(fairlead.state(job)).as("it runs elsewhere").isEqualTo(JobState.RUNNING);
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
    assertThat(repair().message()).contains("INC-7");

    eu.rebootNode(sick.name());
    says = call -> answer(call, Word.DONE, true);
    pass(Duration.ofSeconds(30));
    assertThat(repair().message()).satisfies(reason("repairer.repairer-tests-machine"));
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.QUARANTINED);

    says = call -> answer(call, Word.PASSED, false);
    pass(Duration.ofSeconds(30));
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.ACTIVE);
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    assertThat(fairlead.attempts(job)).hasSize(2);
  }

  /**
   * Fails when the incident remains open after the health test, or the machine returns to service
   * before its domain.
   */
  @Test
  void machineInAQuarantinedDomainIsRepairedAndReturnsWithIt() {
    fault();
    DomainQuarantine host =
        new DomainQuarantine(
            new DomainQuarantineId(stores.ids().next()),
            sick.cluster(),
            "host",
            sick.name(),
            "cooling fails",
            "olga",
            stores.clock().instant(),
            null,
            null,
            null,
            1);
    stores.health().write(host);
    pass(Duration.ofSeconds(60));
    eu.rebootNode(sick.name());
    says = call -> answer(call, Word.DONE, true);
    pass(Duration.ofSeconds(30));
    says = call -> answer(call, Word.PASSED, false);
    pass(Duration.ofSeconds(30));
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    assertThat(stores.health().standing(sick.cluster()))
        .extracting(Quarantine::domain)
        .containsExactly(host.id());
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.QUARANTINED);

    stores
        .transactions()
        .run(() ->
            DomainNodes.end(
                stores.health(),
                stores.inventory(),
                List.of(host),
                domain -> "olga: cooled again",
                stores.clock().instant()));
    pass(Duration.ofSeconds(5));
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.ACTIVE);
  }

  private SortedMap<String, String> notes(SortedMap<String, @Nullable String> written) {
    return ((NodeNotes.Shown) eu.note(sick.name(), written)).notes();
  }

  private SortedMap<String, String> notes() {
    return notes(new TreeMap<>());
  }

  private void janitorSays(String text) {
    SortedMap<String, @Nullable String> answer = new TreeMap<>();
    answer.put("fairlead.dev/repair-answer", text);
    notes(answer);
  }

  /**
   * Fails when a janitor gets no annotation on the node, is believed without a check, or
   * annotations remain.
   */
  @Test
  void aJanitorOfTheClusterIsAskedOnTheNode() {
    asks(null);
    fault();
    pass(Duration.ofSeconds(60));
    assertThat(notes())
        .containsEntry("fairlead.dev/repair-action", "REPAIR")
        .containsEntry("fairlead.dev/repair-step", "POWER_CYCLE")
        .containsEntry("fairlead.dev/repair-cause", repair().cause());
    String nonce = notes().get("fairlead.dev/repair-nonce");
    janitorSays("another DONE");
    pass(Duration.ofSeconds(30));
    assertThat(repair().message()).contains("without the nonce");

    janitorSays(nonce + " PENDING drains the rack");
    pass(Duration.ofSeconds(60));
    assertThat(repair().message()).endsWith("drains the rack");
    eu.rebootNode(sick.name());
    janitorSays(nonce + " DONE");
    pass(Duration.ofSeconds(60));
    assertThat(notes()).containsEntry("fairlead.dev/repair-action", "TEST");

    janitorSays(nonce + " PASSED");
    pass(Duration.ofSeconds(30));
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.ACTIVE);
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    assertThat(notes()).isEmpty();
  }

  /** Fails when a copy of the live database has machines power-cycled that are in use. */
  @Test
  void noRepairerIsCalledWhileTheClusterIsReportOnly() {
    List<RepairCall> calls = new ArrayList<>();
    says =
        call -> {
          calls.add(call);
          return answer(call, Word.PENDING, false);
        };
    fault();
    pass(Duration.ofSeconds(60));
    assertThat(calls).isNotEmpty();
    long ofAnother = 5L << 32;
    assertThat(eu.claim(ofAnother, ofAnother)).isEqualTo(EpochClaim.OURS);
    pass(Duration.ofSeconds(30));
    assertThat(stores.inventory().clusters()).anyMatch(Cluster::onlyReported);
    calls.clear();
    pass(Duration.ofMinutes(5));
    assertThat(calls).isEmpty();

    eu.partition(true);
    pass(Duration.ofMinutes(5));
    assertThat(stores.inventory().clusters())
        .as("also while it does not answer")
        .anyMatch(Cluster::onlyReported);
    assertThat(calls).isEmpty();
  }

  /** Fails when a silent janitor blocks the step, or its machine, permanently. */
  @Test
  void slowJanitorIsAskedToRelease() {
    asks(null);
    fault();
    pass(Duration.ofSeconds(60));
    String nonce = notes().get("fairlead.dev/repair-nonce");
    pass(RepairStep.POWER_CYCLE.allowed());
    assertThat(notes()).containsEntry("fairlead.dev/repair-action", "WITHDRAW");
    janitorSays(nonce + " WITHDRAWN");
    pass(Duration.ofSeconds(30));
    assertThat(repair().step()).isEqualTo(RepairStep.SERVICE);
    assertThat(notes()).isEmpty();
  }

  /** Fails when the job of a powered-off machine waits for an operator's confirmation. */
  @Test
  void jobOfASilentMachineStartsElsewhereOncePoweredOff() {
    eu.loseNode(sick.name());
    fault();
    pass(Duration.ofMinutes(5));
    assertThat(attempt(0).live()).as("its process may go on").isTrue();
    assertThat(eu.processes()).hasSize(1);

    says =
        call -> {
          eu.crashNode(sick.name());
          return answer(call, Word.PENDING, true);
        };
    force();
    pass(Duration.ofSeconds(30));
    assertThat(attempt(0).members().getFirst().evidence()).isEqualTo(DeathEvidence.POWERED_OFF);
    assertThat(attempt(0).state()).isIn(AttemptState.FAILED, AttemptState.LOST);
    assertThat(fairlead.job(job).run().failures()).isZero();
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(attempt(1).members().getFirst().nodeName()).isNotEqualTo(sick.name());
  }

  /**
   * Fails when an earlier answer, as a cache may return it, counts as the power-off of a running
   * machine. Seen to fail with two processes of the job when the nonce is not compared.
   */
  @Test
  void responseToAnotherTaskEndsNothing() {
    eu.loseNode(sick.name());
    fault();
    pass(Duration.ofMinutes(2));
    says = call -> new RepairAnswer.Answered(Word.PENDING, "another", true, "", "");
    force();
    pass(Duration.ofMinutes(2));

    assertThat(attempt(0).live()).isTrue();
    assertThat(fairlead.attempts(job)).hasSize(1);
    assertThat(repair().message()).contains("without the nonce");
  }

  /** Fails when an incorrect repairer is not reported to operators, or is still trusted. */
  @Test
  void liveMachineContradictsItsPowerOff() {
    fault();
    pass(Duration.ofSeconds(60));
    says = call -> answer(call, Word.PENDING, true);
    pass(Duration.ofSeconds(30));
    assertThat(repair().message()).contains("without power at");

    pass(Duration.ofMinutes(3));
    assertThat(repair().message()).satisfies(reason("repairer.node-alive-same-boot"));
    assertThat(stores.repairs().poweredOff(sick.cluster())).isEmpty();
    assertThat(stores.repairs().tasks(repair().id()).getLast().state())
        .isEqualTo(RepairTaskState.ORDERED);
  }
}
