package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.Unreachable;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.DeathConfirmation;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * A pod that its cluster does not show because its labels were changed while no process watched.
 */
class MissingPodTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private boolean shown = true;
  private boolean answered;
  private boolean rebooted;
  private final Set<AttemptId> hidden = new TreeSet<>();
  private int stops;

  private ClusterGateway hiding(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            switch (method.getName()) {
              case "workloadsSince" ->
                  shown ? without(real.workloadsSince(0)) : nothing((WorkloadView) call.now());
              case "gone" -> answered;
              case "inventory" -> {
                InventoryView view = (InventoryView) call.now();
                yield new InventoryView(
                    view.revision() + (rebooted ? 1_000 : 0),
                    view.nodes().stream().map(this::booted).toList());
              }
              case "nodeNow" -> real.nodeNow((String) arguments[0]).map(this::booted);
              case "apply" -> {
                stops += arguments[0] instanceof WorkloadAction.Stop ? 1 : 0;
                yield call.now();
              }
              default -> call.now();
            });
  }

  /** As another API server shows the node of the same name. */
  private NodeReport booted(NodeReport node) {
    return rebooted ? node.withBootId("another-boot") : node;
  }

  /** Reports hidden attempts as having no remaining objects, as a watch does. */
  private WorkloadView without(WorkloadView view) {
    TreeMap<AttemptId, ObservedWorkload> left = new TreeMap<>(view.workloads());
    hidden.forEach(id -> left.put(id, ObservedWorkload.nothing(id)));
    return new WorkloadView(view.revision(), true, left);
  }

  private static WorkloadView nothing(WorkloadView view) {
    return new WorkloadView(view.revision(), true, new TreeMap<>());
  }

  private Job running(OnUnreachable onUnreachable) {
    fairlead.reachThrough(this::hiding);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job job =
        fairlead.submit(
            Specs.job("train")
                .gpus(1)
                .onUnreachable(onUnreachable)
                .maxRuntime(Duration.ofMinutes(30))
                .annotation("sim.fairlead.dev/run-for", "2h"));
    return fairlead.until(job, JobState.RUNNING);
  }

  /** Fails when a member counts as absent before its cluster has confirmed that its pod is gone. */
  @Test
  void overlappingJobDoesNotRestartBeforeItsClusterConfirmsThatItsPodIsGone() {
    Job job = running(OnUnreachable.ALLOW_OVERLAP);
    shown = false;
    fairlead.pass(Duration.ofMinutes(6));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(attempt -> attempt.state() == AttemptState.RUNNING);

    answered = true;
    fairlead.pass(Duration.ofMinutes(6));
    assertThat(fairlead.attempts(job)).hasSizeGreaterThan(1);
  }

  /** Fails when the job does not report an unanswered query, or its deadline waits. */
  @Test
  void missingPodIsNamedWithItsTimeAndTheDeadlineStopsItsJob() {
    Job job = running(OnUnreachable.WAIT);
    shown = false;
    fairlead.pass(Duration.ofMinutes(6));
    Unreachable unreachable = fairlead.queries().job(fairlead.ana(), job.id()).unreachable();
    assertThat(unreachable).isNotNull();
    assertThat(unreachable.scope()).isEqualTo(Unreachable.Scope.POD);
    assertThat(unreachable.message())
        .contains("has not answered")
        .contains("since " + unreachable.since());
    assertThat(unreachable.members())
        .singleElement()
        .matches(m -> unreachable.message().contains(m.key()));

    fairlead.pass(Duration.ofMinutes(25));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(attempt -> attempt.state() == AttemptState.STOPPING);

    shown = true;
    fairlead.until(job, JobState.FAILED);
  }

  /** Fails when its owner has to wait for the cluster's answer to stop the job. */
  @Test
  void jobIsStoppedWhileItsClusterHasNotReportedItsPod() {
    Job job = running(OnUnreachable.WAIT);
    shown = false;
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(attempt -> attempt.state() == AttemptState.STOPPING);
    assertThat(stops).as("the order was sent").isPositive();
  }

  /**
   * Fails when attempts that vanish together are started again, or remain held after their return.
   */
  @Test
  void attemptsThatVanishTogetherRetainTheirAllocationsUntilShown() {
    List<Job> jobs = many();
    hide(jobs);
    Job next = fairlead.submit(Specs.job("next").gpus(1));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(jobs).allMatch(job -> only(job).state() == AttemptState.UNKNOWN);
    assertThat(fairlead.stores().inventory().clusters())
        .anyMatch(
            one -> String.valueOf(one.trouble()).startsWith("30 of 30 attempts have been missing"))
        .noneMatch(one -> one.name().equals("eu-1") && one.state() != ClusterState.DEGRADED);
    assertThat(fairlead.attempts(next)).as("nothing is started there").noneMatch(Attempt::live);

    hidden.clear();
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(jobs).allMatch(job -> only(job).state() == AttemptState.RUNNING);
    assertThat(fairlead.stores().inventory().clusters()).allMatch(one -> one.trouble() == null);
    fairlead.until(next, JobState.RUNNING);
  }

  /** Fails when the breaker stays open after the deaths are confirmed. */
  @Test
  void attemptsWithAConfirmedDeathStartAgain() {
    List<Job> jobs = many();
    hide(jobs);
    jobs.forEach(job -> confirm(only(job)));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(jobs).allMatch(job -> fairlead.attempts(job).size() == 2);
    assertThat(jobs).allMatch(job -> fairlead.state(job) == JobState.RUNNING);
  }

  /** Fails when one confirmed death reduces the others below the limit and ends them. */
  @Test
  void confirmedDeathEndsNoOtherAttempt() {
    List<Job> jobs = many();
    List<Job> lost = jobs.subList(0, 21);
    hide(lost);
    confirm(only(lost.getFirst()));
    fairlead.pass(Duration.ofMinutes(12));
    assertThat(lost.subList(1, 21)).allMatch(job -> only(job).state() == AttemptState.UNKNOWN);
  }

  /** Fails when attempts that vanish in small groups never reach the limit. */
  @Test
  void attemptsEndedByALossCountForTenMinutes() {
    List<Job> jobs = many();
    hide(jobs.subList(0, 15));
    assertThat(jobs.subList(0, 15)).allMatch(job -> fairlead.attempts(job).size() == 2);

    hide(jobs.subList(15, 30));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(jobs.subList(15, 30)).allMatch(job -> only(job).state() == AttemptState.UNKNOWN);
  }

  /** Fails when nodes of another API server end attempts before its pods are listed. */
  @Test
  void simultaneousRebootsEndNoAttempt() {
    List<Job> jobs = many();
    rebooted = true;
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(jobs).allMatch(job -> only(job).live());
    assertThat(fairlead.stores().inventory().clusters())
        .anyMatch(
            one -> String.valueOf(one.trouble()).startsWith("30 of 30 attempts have been missing"));

    hide(jobs);
    assertThat(jobs).allMatch(job -> only(job).state() == AttemptState.UNKNOWN);

    rebooted = false;
    hidden.clear();
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(jobs).allMatch(job -> only(job).state() == AttemptState.RUNNING);
    assertThat(fairlead.stores().inventory().clusters()).allMatch(one -> one.trouble() == null);
  }

  /** Fails when the nodes of one large gang are counted as one attempt. */
  @Test
  void rebootOfManyNodesOfOneGangEndsNoAttempt() {
    fairlead.reachThrough(this::hiding);
    fairlead.register("eu-1", new FleetPool(25, 1, "H100", 1, 1));
    Job gang =
        fairlead.submit(
            Specs.job("gang").workers(25).gpus(1).annotation("sim.fairlead.dev/run-for", "2h"));
    fairlead.until(gang, JobState.RUNNING);
    rebooted = true;
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(only(gang).live()).isTrue();
  }

  private void hide(List<Job> jobs) {
    answered = true;
    jobs.forEach(job -> hidden.add(only(job).id()));
    fairlead.pass(Duration.ofSeconds(30));
  }

  private List<Job> many() {
    fairlead.reachThrough(this::hiding);
    fairlead.register("eu-1", new FleetPool(5, 8, "H100", 1, 1));
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      jobs.add(
          fairlead.submit(
              Specs.job("train-" + i)
                  .gpus(1)
                  .onUnreachable(OnUnreachable.ALLOW_OVERLAP)
                  .annotation("sim.fairlead.dev/run-for", "2h")));
    }
    jobs.forEach(job -> fairlead.until(job, JobState.RUNNING));
    return jobs;
  }

  private void confirm(Attempt missing) {
    MemoryStores stores = fairlead.stores();
    DeathConfirmation confirmation =
        new DeathConfirmation(
            stores.transactions(),
            stores.jobs(),
            new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
            new Idempotency(stores.idempotency()),
            stores.audit());
    TreeSet<String> members = new TreeSet<>(List.of(missing.members().getFirst().key()));
    DeathConfirmation.Word word = new DeathConfirmation.Word(members, "restored etcd");
    var _ = confirmation.confirm(fairlead.operator(), missing.id(), word, null, false);
  }

  private Attempt only(Job job) {
    assertThat(fairlead.attempts(job)).hasSize(1);
    return fairlead.attempts(job).getFirst();
  }

  /** Fails when a missing pod leaves its attempt RUNNING: nothing would explain why it hangs. */
  @Test
  void waitingJobIsUnknownOnceItsClusterConfirmsThatItsPodIsGone() {
    Job job = running(OnUnreachable.WAIT);
    shown = false;
    answered = true;
    fairlead.pass(Duration.ofMinutes(6));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(attempt -> attempt.state() == AttemptState.UNKNOWN);
  }
}
