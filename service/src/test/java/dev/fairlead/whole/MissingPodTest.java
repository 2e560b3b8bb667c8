package dev.fairlead.whole;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.cluster.FleetPool;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobSpec.OnUnreachable;
import dev.fairlead.job.JobState;
import dev.fairlead.job.Specs;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.WorkloadView;
import java.time.Duration;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A pod that its cluster does not show, since its labels were changed while no process watched. */
class MissingPodTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private boolean shown = true;
  private boolean answered;

  private ClusterGateway hiding(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            switch (method.getName()) {
              case "workloadsSince" -> shown ? call.now() : nothing((WorkloadView) call.now());
              case "gone" -> answered;
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
