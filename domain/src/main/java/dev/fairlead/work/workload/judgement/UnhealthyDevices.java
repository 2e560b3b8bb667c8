package dev.fairlead.work.workload.judgement;

import dev.fairlead.care.health.Breaker;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Retry;
import dev.fairlead.work.spec.JobSpec;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves attempts off GPUs that a device plugin or a DRA driver reports as faulty while the program
 * still runs. Such a GPU is given to no other pod, so the node remains in use, and the program may
 * save its work first. Pure.
 */
public final class UnhealthyDevices {
  private UnhealthyDevices() {}

  /**
   * Returns whether more nodes have such members than incidents may isolate in a cluster. A device
   * plugin is then more likely wrong than the GPUs.
   *
   * @param nodes the cluster's nodes by name
   */
  public static boolean tooMany(
      Collection<ObservedWorkload> workloads, Map<String, NodeReport> nodes) {
    long unhealthy =
        workloads.stream()
            .flatMap(workload -> workload.members().values().stream())
            .filter(pod -> runsOnUnhealthy(pod.state(), pod.reason()))
            .flatMap(pod -> Stream.ofNullable(pod.node()))
            .distinct()
            .count();
    int all = (int) nodes.values().stream().filter(node -> !node.gpus().isEmpty()).count();
    return unhealthy > Breaker.of(Breaker.Scope.CLUSTER).most(all);
  }

  /** Returns whether a member of the attempt runs on an unhealthy GPU. */
  public static boolean in(ObservedWorkload workload) {
    return workload.members().values().stream()
        .anyMatch(pod -> runsOnUnhealthy(pod.state(), pod.reason()));
  }

  private static boolean runsOnUnhealthy(MemberState state, @Nullable String reason) {
    return state == MemberState.RUNNING
        && reason != null
        && reason.startsWith(ObservedMember.UNHEALTHY_GPU);
  }

  /**
   * Returns when the attempt moves, null for never. The first consecutive faults of a job move it
   * immediately. Later ones move it only after the time that ends the row, so a device plugin that
   * changes its report all the time does not move a job forever. An earlier report does not move
   * jobs, because the reports about other nodes at that time are unknown.
   */
  static @Nullable Instant movesAt(Attempt attempt, Observations view) {
    Instant started = attempt.startedAt();
    if (view.pluginDoubted()
        || view.silent()
        || view.doubted()
        || started == null
        || attempt.state() != AttemptState.RUNNING
        || sick(attempt, view).isEmpty()) {
      return null;
    }
    return view.faults() < Retry.FAULTS_AT_ONCE ? started : started.plus(JobStatus.RAN_LONG);
  }

  /** Returns the order to leave, which spends no retry. */
  static AttemptEvent.Stop stop(Attempt attempt, JobSpec spec, Observations view) {
    Member member = sick(attempt, view).orElseThrow();
    return JobTransitions.stop(
        attempt, StopCause.DRAIN, failure(attempt, member), spec, view.clock());
  }

  private static Optional<Member> sick(Attempt attempt, Observations view) {
    return attempt.core().stream()
        .filter(member -> runsOnUnhealthy(member.state(), member.reason()))
        .filter(member ->
            view.observed()
                .member(MemberKey.of(member))
                .filter(pod -> runsOnUnhealthy(pod.state(), pod.reason()))
                .isPresent())
        .findFirst();
  }

  private static Failure failure(Attempt attempt, Member member) {
    String gpu = FirstFailure.device(member);
    return Failure.ofDevicePlugin(
        "node %s reports GPU%s of %s as unhealthy"
            .formatted(member.nodeName(), gpu == null ? "" : " " + gpu, member.key()),
        attempt.number(),
        member.key(),
        member.nodeName(),
        gpu);
  }
}
