package dev.fairlead.work.workload;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.judgement.ObservedMember;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The job, members, pods and incidents of a {@link Watched} attempt, as values. */
public final class ShownPods {
  private ShownPods() {}

  static MemberKey key(int index) {
    return new MemberKey("worker", index, 0);
  }

  /** The pod of the member on its own node. */
  static ObservedMember pod(
      int index,
      MemberState state,
      boolean started,
      @Nullable Integer exitCode,
      @Nullable String reason,
      @Nullable Instant endedAt) {
    return ObservedMember.of(key(index), "uid-" + index, state, "n" + index)
        .with()
        .started(started)
        .exitCode(exitCode)
        .reason(reason)
        .startedAt(started ? Watched.START : null)
        .endedAt(endedAt)
        .build();
  }

  /** A container that has ended by its exit code, while something holds its node. */
  static ObservedMember held(ObservedMember pod, ObservedMember.Held held) {
    boolean well = Integer.valueOf(0).equals(pod.exitCode());
    MemberState state = well ? MemberState.SUCCEEDED : MemberState.FAILED;
    return pod.with().state(state).held(held).build();
  }

  static Member member(int index) {
    return Member.planned(
        "worker",
        index,
        new NodeId(new UUID(2, index)),
        "n" + index,
        new Flavor(Flavor.CPU, CapacityType.RESERVED),
        ResourceVector.of(1000, 2048, 0, 1),
        List.of());
  }

  static Attempt attempt(Job job, AttemptState state, List<Member> members) {
    return new Attempt(
        new AttemptId(new UUID(1, 1)),
        job.id(),
        0,
        1,
        new ClusterId(new UUID(1, 4)),
        1,
        Watched.START,
        AttemptStatus.of(state),
        members,
        List.of());
  }

  static Job job(JobSpec spec) {
    return new Job(
        new JobId(new UUID(1, 2)),
        new TenantId(new UUID(1, 5)),
        new ProjectId(new UUID(1, 6)),
        new QuotaNodeId(new UUID(1, 7)),
        spec.name(),
        "ana",
        spec,
        500,
        Watched.START,
        JobStatus.queued(Watched.START),
        spec.array() == null ? null : ArrayProgress.of(spec.array()),
        List.of(),
        1);
  }

  /** Of a machine or a device in it. */
  public static Incident incident(
      NodeId node, String nodeName, FaultScope scope, @Nullable String gpu) {
    return new Incident(
        new IncidentId(new UUID(1, 9)),
        new ClusterId(new UUID(1, 8)),
        node,
        nodeName,
        gpu,
        "1653922",
        79,
        "XID 79 (GPU has fallen off the bus)",
        scope,
        RepairStep.POWER_CYCLE,
        Watched.START,
        Watched.START,
        1,
        "",
        null);
  }
}
