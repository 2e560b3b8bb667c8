package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.node.DeviceUuid;
import dev.fairlead.fleet.node.Gpu;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.GpuShare;
import dev.fairlead.work.attempt.HeldDevice;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.attempt.MemberState;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.ObservedMember;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pod as its cluster stores it, and what its node plans to do with it. Moved by {@link Kubelet}.
 */
final class SimulatedPod {
  /**
   * What was due while the node was silent.
   *
   * @param undone its kubelet was to do it and is dead: the process lives on
   */
  record Missed(Instant at, Timeline.Event event, boolean undone) {}

  final SimulatedWorkload workload;
  final MemberKey key;
  final String uid;
  final SimulatedNode node;
  final ResourceVector request;
  final List<GpuShare> gpus;
  final PodBehaviour behaviour;

  /** Its next event; there is never more than one. */
  Timeline.@Nullable Entry next;

  @Nullable Missed missed;

  /** Whether its next event is something that its kubelet does to its process. */
  boolean enforced;

  /** Shortest grace period that a deletion asked for; null while none did. */
  @Nullable Duration grace;

  /** Until when it may save its work; null while it was not asked. */
  @Nullable Instant asked;

  /** Whether somebody evicted it. */
  boolean evicted;

  /** When its node sent SIGTERM. */
  @Nullable Instant terminatedAt;

  /** When it died with its node, without a result. */
  @Nullable Instant lostAt;

  /** Its node crashed before it started, or before anybody heard that it had. */
  boolean beginsAnew;

  /** Its process is over, which its node has still to report. */
  boolean processEnded;

  /** Its end is told, and its node has still to clear away what it holds. */
  boolean lingers;

  /** Whether its node counts it. */
  boolean holds;

  /** Nothing of it is to stay as soon as its node confirms its end. */
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

  /** What its file for checkpoints says. */
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

  /** Without a recorded end. */
  boolean open() {
    return state != MemberState.SUCCEEDED && state != MemberState.FAILED;
  }

  /** Whether its process runs now, seen or not. */
  boolean processRuns() {
    boolean startMissed = state == MemberState.PULLING && missed != null && !beginsAnew;
    boolean endMissed = state == MemberState.RUNNING && missed != null && !missed.undone();
    return lostAt == null
        && !processEnded
        && (state == MemberState.RUNNING && !endMissed || startMissed);
  }

  /** Whether its process should have been ended by a kubelet that is dead. */
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
   * @param at null when its node made the result up
   */
  void exited(@Nullable Instant at, int code, String why) {
    state = code == 0 ? MemberState.SUCCEEDED : MemberState.FAILED;
    endedAt = at;
    exitCode = code;
    reason = evicted ? "Evicted" : why;
  }

  /** Ended without an exit code: it never started, or its node lost it. */
  void failed(Instant at, @Nullable String why, @Nullable String text) {
    state = MemberState.FAILED;
    endedAt = at;
    reason = why == null ? reason : why;
    message = text == null ? message : text;
  }

  ObservedMember observed() {
    return new ObservedMember(
        key,
        uid,
        state,
        node.name(),
        startedAt != null,
        exitCode,
        reason,
        message,
        startedAt,
        endedAt,
        grace != null,
        lingers ? ObservedMember.Held.SANDBOX : ObservedMember.Held.NOTHING,
        asked != null,
        devices());
  }

  /** The planned devices, which its container shows from its start. */
  private List<HeldDevice> devices() {
    return startedAt == null
        ? List.of()
        : gpus.stream()
            .filter(share -> DeviceUuid.matches(share.serial()))
            .map(share -> new HeldDevice(share.serial(), share.milli() < Gpu.WHOLE_MILLI))
            .toList();
  }
}
