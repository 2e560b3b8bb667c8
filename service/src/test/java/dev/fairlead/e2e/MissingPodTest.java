package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.FleetPool;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.Unseen;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import java.time.Duration;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A pod that its cluster does not show, since its labels were changed while no process watched. */
class MissingPodTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private boolean shown = true;
  private boolean answered;
  private int stops;

  private ClusterGateway hiding(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            switch (method.getName()) {
              case "workloadsSince" -> shown ? call.now() : nothing((WorkloadView) call.now());
              case "gone" -> answered;
              case "apply" -> {
                stops += arguments[0] instanceof WorkloadAction.Stop ? 1 : 0;
                yield call.now();
              }
              default -> call.now();
            });
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

  /** Fails when a member counts as absent before its cluster has answered that its pod is gone. */
  @Test
  void aJobThatMayOverlapDoesNotStartAgainBeforeItsClusterSaysThatItsPodIsGone() {
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

  /** Fails when the job says nothing of a look-up that is not answered, or its deadline waits. */
  @Test
  void theJobSaysWhichPodIsLookedForSinceWhenAndItsDeadlineStopsIt() {
    Job job = running(OnUnreachable.WAIT);
    shown = false;
    fairlead.pass(Duration.ofMinutes(6));
    Unseen unseen = fairlead.queries().job(fairlead.ana(), job.id()).unseen();
    assertThat(unseen).isNotNull();
    assertThat(unseen.scope()).isEqualTo(Unseen.Scope.POD);
    assertThat(unseen.message()).contains("has not answered").contains("since " + unseen.since());
    assertThat(unseen.members()).singleElement().matches(m -> unseen.message().contains(m.key()));

    fairlead.pass(Duration.ofMinutes(25));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(attempt -> attempt.state() == AttemptState.STOPPING);

    shown = true;
    fairlead.until(job, JobState.FAILED);
  }

  /** Fails when its owner has to wait for the cluster's answer until the job is stopped. */
  @Test
  void aJobIsStoppedWhileItsClusterHasNotSaidWhatBecameOfItsPod() {
    Job job = running(OnUnreachable.WAIT);
    shown = false;
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(attempt -> attempt.state() == AttemptState.STOPPING);
    assertThat(stops).as("the order was sent").isPositive();
  }

  /** Fails when a pod that is gone leaves its attempt RUNNING: nothing would say why it hangs. */
  @Test
  void aJobThatWaitsIsUnknownOnceItsClusterSaysThatItsPodIsGone() {
    Job job = running(OnUnreachable.WAIT);
    shown = false;
    answered = true;
    fairlead.pass(Duration.ofMinutes(6));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(attempt -> attempt.state() == AttemptState.UNKNOWN);
  }
}
