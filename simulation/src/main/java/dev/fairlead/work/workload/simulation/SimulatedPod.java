package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedMemberBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pod as its cluster stores it, with the planned actions of its node. Driven by {@link Kubelet}.
 */
final class SimulatedPod {
  /**
   * An event that was due while the node was silent.
   *
   * @param undone whether a dead kubelet should have run it: the process lives on
   */
  record Missed(Instant at, Timeline.Event event, boolean undone) {}

  private static final String WAITS =
      Member.AWAITS_NODE + " the scheduler of the cluster has not processed the pod yet";

  final SimulatedWorkload workload;
  final MemberKey key;
  final String uid;
  final ResourceVector request;
  final PodBehaviour behaviour;

  /** Its node, without a name while it waits for a scheduler. */
  SimulatedNode node;

  /** Its GPUs, or the planned ones while it has no node. */
  List<GpuShare> gpus;

  /** Its next event. There is never more than one. */
  Timeline.@Nullable Entry next;

  @Nullable Missed missed;

  /** Whether its next event is an action of its kubelet on its process. */
  boolean enforced;

  /** Shortest grace period of its deletions, null without a deletion. */
  @Nullable Duration grace;

  /** Time until which it may save its work, null without a request. */
  @Nullable Instant asked;

  /** Whether it was evicted. */
  boolean evicted;

  /** Time of SIGTERM. */
  @Nullable Instant terminatedAt;

  /** Time of its death with its node, without a result. */
  @Nullable Instant lostAt;

  /** Whether its node crashed before it started, or before its start was visible. */
  boolean beginsAnew;

  /** Whether its process has ended and its node has not reported that yet. */
  boolean processEnded;

  /** Whether its end is reported and its node has not freed its resources yet. */
  boolean lingers;

  /** Whether its node counts it. */
  boolean holds;

  /** Whether all its objects are removed as soon as its node confirms its end. */
  boolean released;

  private MemberState state = MemberState.PENDING;
  private @Nullable Instant startedAt;
  private @Nullable Instant endedAt;
  private @Nullable Integer exitCode;
  private @Nullable String reason;
  private @Nullable String message;

  SimulatedPod(
      SimulatedWorkload workload,
      Member member,
      String uid,
      SimulatedNode node,
      PodBehaviour behaviour) {
    this.workload = workload;
    this.key = MemberKey.of(member);
    this.uid = uid;
    this.node = node;
    this.request = member.request();
    this.gpus = member.gpus();
    this.behaviour = behaviour;
  }

  /** Content of its checkpoint file. */
  String checkpointFile() {
    return asked == null ? "" : asked.toString();
  }

  String name() {
    return ObjectNames.pod(workload.attempt, key);
  }

  MemberState state() {
    return state;
  }

  @Nullable Instant startedAt() {
    return startedAt;
  }

  @Nullable Instant endedAt() {
    return endedAt;
  }

  @Nullable Integer exitCode() {
    return exitCode;
  }

  @Nullable String reason() {
    return reason;
  }

  /** Returns whether the pod has no recorded end. */
  boolean open() {
    return state != MemberState.SUCCEEDED && state != MemberState.FAILED;
  }

  /** Returns whether the pod's process runs now, visible or not. */
  boolean processRuns() {
    boolean startMissed = state == MemberState.PULLING && missed != null && !beginsAnew;
    boolean endMissed = state == MemberState.RUNNING && missed != null && !missed.undone();
    return lostAt == null
        && !processEnded
        && (state == MemberState.RUNNING && !endMissed || startMissed);
  }

  /** Returns whether a dead kubelet should have ended its process. */
  boolean overdue() {
    return missed != null && missed.undone() && processRuns();
  }

  void pulling() {
    state = MemberState.PULLING;
  }

  void pullFailed(String why, String text) {
    reason = why;
    message = text;
  }

  void running(Instant at) {
    state = MemberState.RUNNING;
    startedAt = at;
  }

  /**
   * @param at null when its node invented the result
   */
  void exited(@Nullable Instant at, int code, String why) {
    state = code == 0 ? MemberState.SUCCEEDED : MemberState.FAILED;
    endedAt = at;
    exitCode = code;
    reason = evicted ? "Evicted" : why;
  }

  /** Ends the pod without an exit code: it never started, or its node lost it. */
  void failed(Instant at, @Nullable String why, @Nullable String text) {
    state = MemberState.FAILED;
    endedAt = at;
    reason = why == null ? reason : why;
    message = text == null ? message : text;
  }

  ObservedMember observed() {
    return ObservedMemberBuilder.builder()
        .key(key)
        .uid(uid)
        .state(state)
        .node(node.name().isEmpty() ? null : node.name())
        .started(startedAt != null)
        .exitCode(exitCode)
        .reason(node.name().isEmpty() && open() ? WAITS : reason)
        .message(message)
        .startedAt(startedAt)
        .endedAt(endedAt)
        .deleting(grace != null)
        .held(lingers ? ObservedMember.Held.SANDBOX : ObservedMember.Held.NOTHING)
        .asked(asked != null)
        .devices(devices())
        .deviceSource(DeviceReporter.POD_STATUS)
        .build();
  }

  /** Returns the planned devices, which the container reports once it has started. */
  private List<HeldDevice> devices() {
    return startedAt == null
        ? List.of()
        : gpus.stream()
            .filter(share -> DeviceUuid.matches(share.serial()))
            .map(share -> new HeldDevice(share.serial(), share.milli() < Gpu.WHOLE_MILLI))
            .toList();
  }
}
