package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.Unreachable;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A pod on a node that can be seen, which does not end. */
class StuckPodTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private boolean stuck = true;

  /** The kubelet accepts the deletion and does nothing. */
  private ClusterGateway deaf(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            stuck && method.getName().equals("apply") && arguments[0] instanceof WorkloadAction.Stop
                ? new ActionOutcome.Done(Collections.emptySortedSet())
                : call.now());
  }

  /** A kubelet that was away and refuses the pod on return, without a container status. */
  private static ObservedWorkload refused(ObservedWorkload workload) {
    SortedMap<MemberKey, ObservedMember> members = new TreeMap<>();
    workload
        .members()
        .forEach((key, pod) ->
            members.put(
                key,
                ObservedMember.of(key, pod.uid(), MemberState.FAILED, pod.node())
                    .with()
                    .reason("NodeAffinity")
                    .deleting(pod.deleting())
                    .build()));
    return new ObservedWorkload(workload.attempt(), members, false);
  }

  private static WorkloadView refused(WorkloadView view) {
    SortedMap<AttemptId, ObservedWorkload> shown = new TreeMap<>();
    view.workloads().forEach((id, workload) -> shown.put(id, refused(workload)));
    return new WorkloadView(view.revision(), view.complete(), shown);
  }

  /** Fails when such a job counts as running: an operator's confirmation would be refused. */
  @Test
  void startedPodThatIsRefusedMakesItsJobUnreachableUntilItsEndIsProven() {
    AtomicBoolean refuses = new AtomicBoolean();
    fairlead.reachThrough(real ->
        Between.on(
            real,
            (method, arguments, call) ->
                refuses.get() && method.getName().equals("workloadsSince")
                    ? refused((WorkloadView) call.now())
                    : call.now()));
    SimulatedCluster eu = fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job job =
        fairlead.submit(Specs.job("train").gpus(1).annotation("sim.fairlead.dev/run-for", "5h"));
    fairlead.until(job, JobState.RUNNING);
    refuses.set(true);
    fairlead.pass(Duration.ofMinutes(6));

    Attempt attempt = fairlead.attempts(job).getFirst();
    assertThat(attempt.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(fairlead.queries().job(fairlead.ana(), job.id()).unreachable())
        .matches(unreachable -> unreachable.scope() == Unreachable.Scope.POD)
        .satisfies(unreachable ->
            assertThat(unreachable.message()).satisfies(reason("stuck-pod.refused-pod-had-run")));

    eu.rebootNode(attempt.members().getFirst().nodeName());
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(fairlead.attempts(job).getFirst().state()).isEqualTo(AttemptState.LOST);
  }

  /** Fails when only a silent node or cluster is named, or the query is not repeated afterwards. */
  @Test
  void cancelIgnoredByAPodNamesThePodAndConvergesWhenItEnds() {
    fairlead.reachThrough(this::deaf);
    SimulatedCluster eu = fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job job =
        fairlead.submit(Specs.job("train").gpus(1).annotation("sim.fairlead.dev/run-for", "5h"));
    fairlead.until(job, JobState.RUNNING);
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.pass(Duration.ofMinutes(4));

    Unreachable unreachable = fairlead.queries().job(fairlead.ana(), job.id()).unreachable();
    assertThat(fairlead.state(job)).isEqualTo(JobState.CANCELLING);
    assertThat(unreachable).isNotNull();
    assertThat(unreachable.scope()).isEqualTo(Unreachable.Scope.POD);
    assertThat(unreachable.members())
        .singleElement()
        .matches(m -> unreachable.message().contains(m.key()));

    stuck = false;
    fairlead.until(job, JobState.CANCELLED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepFailed().plusMinutes(1));
    assertThat(fairlead.queries().job(fairlead.ana(), job.id()).unreachable()).isNull();
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
  }
}
