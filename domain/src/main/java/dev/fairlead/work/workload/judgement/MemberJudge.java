package dev.fairlead.work.workload.judgement;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.attempt.member.UnansweredPod;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.DeviceTransitions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A member after a reading of its cluster. A dead member no longer changes. */
final class MemberJudge {
  /** A party other than Fairlead deleted the pod. */
  static final String DELETED = "Deleted";

  private static final Set<Integer> SIGNALLED = Set.of(137, 143);

  private static final String OUT_OF_MEMORY = "OOMKilled";

  private MemberJudge() {}

  static Member update(Member planned, Attempt attempt, Observations view) {
    if (planned.dead()) {
      return planned;
    }
    ObservedMember pod = ownPod(planned, view.observed());
    Member member = bound(planned, pod);
    NodeReport asked = view.asked().get(member.nodeName());
    if (pod == null) {
      return withoutPod(member, asked, view);
    }
    /* A pod that its kubelet still has to remove holds its GPUs, unless the kubelet is silent. */
    NodeReport node = view.nodes().get(member.nodeName());
    boolean holds = pod.lingers() && node != null && node.ready();
    ObservedMember told = holds ? pod.stillRunning() : pod;
    Member seen = merge(member, told, attempt, asked);
    DeathEvidence proof = nodeProof(seen, asked, view);
    if (proof == null) {
      return seen;
    }
    /* The node that had to clean up no longer exists, so only the pod's state counts. */
    Member shown = merge(member, pod, attempt, asked);
    boolean booted = proof == DeathEvidence.NODE_REBOOTED || proof == DeathEvidence.POWERED_OFF;
    boolean outdated = booted && !diedWithItsNode(shown);
    return outdated || endedWell(shown) ? shown : shown.gone(proof, proof.name(), view.now());
  }

  /** Only the node of a pod can prove the end of the pod. */
  private static Member bound(Member planned, @Nullable ObservedMember pod) {
    String node = pod == null ? null : pod.node();
    return node == null || node.equals(planned.nodeName()) ? planned : planned.boundTo(node);
  }

  private static @Nullable ObservedMember ownPod(Member member, ObservedWorkload observed) {
    ObservedMember pod = observed.member(MemberKey.of(member)).orElse(null);
    boolean others = pod != null && member.uid() != null && !member.uid().equals(pod.uid());
    return others ? null : pod;
  }

  /**
   * Returns whether the cluster must confirm the state of its node: a watch shows that the node may
   * have ended it, or it runs in a boot to record.
   *
   * @param shown its node as a watch shows it
   * @param isolated open faults of the cluster
   */
  static boolean hangsOnItsNode(
      Member member, ObservedWorkload observed, @Nullable NodeReport shown, OpenFaults isolated) {
    if (member.dead() || shown == null) {
      return false;
    }
    ObservedMember pod = ownPod(member, observed);
    boolean begins = pod != null && runs(pod) && member.bootId() == null;
    return begins && !shown.bootId().isEmpty()
        || (pod != null || member.uid() != null) && nodeProof(member, shown, isolated) != null;
  }

  private static boolean runs(ObservedMember pod) {
    return pod.started() && pod.state() == MemberState.RUNNING && pod.node() != null;
  }

  /**
   * Returns whether a reboot ended a pod that its cluster still shows. A pod that never started may
   * start after the reboot, and a pod with its own result ended before it. A result that the
   * kubelet invented after the reboot proves nothing.
   */
  private static boolean diedWithItsNode(Member seen) {
    return seen.dead() ? ObservedMember.lostResult(seen.reason()) : seen.startedAt() != null;
  }

  /**
   * Its kubelet reported that the work is done, and later events on the node do not change that.
   */
  private static boolean endedWell(Member seen) {
    return seen.state() == MemberState.SUCCEEDED && !ObservedMember.lostResult(seen.reason());
  }

  /** The stored state of a member is not a report of its cluster: only its node proves anything. */
  private static Member withoutPod(Member member, @Nullable NodeReport asked, Observations view) {
    if (member.uid() == null) {
      return !view.doubted() && view.absent().contains(MemberKey.of(member))
          ? member.gone(DeathEvidence.NEVER_CREATED, "never created", view.now())
          : member;
    }
    DeathEvidence proof = nodeProof(member, asked, view);
    if (proof != null) {
      return member.gone(proof, proof.name(), view.now());
    }
    Instant since = view.unanswered().get(MemberKey.of(member));
    if (since == null) {
      return UnansweredPod.answered(member);
    }
    /* A decisive reason remains: a pod that cannot start is stopped, and its node proves nothing. */
    boolean kept = FirstFailure.isStuck(member) || awaitsNode(member);
    return kept ? member : UnansweredPod.said(member, since, view.now());
  }

  private static Member merge(
      Member m, ObservedMember pod, Attempt attempt, @Nullable NodeReport asked) {
    boolean terminal = pod.state() == MemberState.SUCCEEDED || pod.state() == MemberState.FAILED;
    Instant startedAt = pod.startedAt() != null ? pod.startedAt() : m.startedAt();
    DeathEvidence proof = terminal ? proofOfPod(pod, startedAt != null) : null;
    boolean byOthers =
        pod.deleting()
            && attempt.stop() == null
            && !m.leaves()
            && pod.state() == MemberState.FAILED
            && (pod.exitCode() == null || SIGNALLED.contains(pod.exitCode()))
            && !OUT_OF_MEMORY.equals(pod.reason())
            && !ObservedMember.lostResult(pod.reason());
    /* A process cannot obey a stored order that has not reached the pod. */
    boolean ordered = attempt.stop() != null || m.leaves();
    boolean reached = ordered && (pod.deleting() || pod.asked());
    boolean obeyed = reached && pod.state() == MemberState.SUCCEEDED;
    return m.withStatus(
        m.status()
            .with()
            .state(pod.state())
            .uid(pod.uid())
            .bootId(bootId(m, pod, asked))
            .exitCode(pod.exitCode())
            .reason(byOthers ? DELETED : obeyed ? Member.STOPPED : pod.reason())
            .startedAt(startedAt)
            .endedAt(terminal ? pod.endedAt() : null)
            .evidence(proof)
            .devices(m.devices().with(pod.deviceSource(), pod.devices()))
            .build());
  }

  /**
   * Proof from the end of a pod. A kubelet that lost a container reports it as waiting again and
   * may then refuse the pod. Only the result of a container or its node proves its death.
   */
  private static @Nullable DeathEvidence proofOfPod(ObservedMember pod, boolean ranOnce) {
    if (pod.started() || pod.exitCode() != null) {
      return DeathEvidence.CONTAINER_TERMINATED;
    }
    return ranOnce ? null : DeathEvidence.NEVER_STARTED;
  }

  /**
   * A boot of its node recorded while it was known to run: the boot of the member, or a later boot,
   * which proves nothing. A member that has not started may start after the next boot.
   */
  private static @Nullable String bootId(Member m, ObservedMember pod, @Nullable NodeReport asked) {
    if (m.bootId() != null || asked == null || !runs(pod) || asked.bootId().isEmpty()) {
      return m.bootId();
    }
    return asked.bootId();
  }

  /** Returns whether a scheduler of the cluster may still bind its pod to any node. */
  private static boolean awaitsNode(Member member) {
    return member.bootId() == null
        && member.reason() != null
        && member.reason().startsWith(Member.AWAITS_NODE);
  }

  /** Another API server may show a node of the same name, which has another boot. */
  private static @Nullable DeathEvidence nodeProof(
      Member member, @Nullable NodeReport node, Observations view) {
    DeathEvidence proof = nodeProof(member, node, view.isolated());
    return view.doubted() && proof == DeathEvidence.NODE_REBOOTED ? null : proof;
  }

  private static @Nullable DeathEvidence nodeProof(
      Member member, @Nullable NodeReport node, OpenFaults isolated) {
    if (node == null || awaitsNode(member)) {
      return null;
    }
    if (node.machineGone()) {
      return DeathEvidence.MACHINE_GONE;
    }
    if (node.outOfService()) {
      return DeathEvidence.NODE_OUT_OF_SERVICE;
    }
    String boot = member.bootId();
    if (boot == null || node.bootId().isEmpty()) {
      return null;
    }
    if (!boot.equals(node.bootId())) {
      return DeathEvidence.NODE_REBOOTED;
    }
    /* A node that is ready in that boot never lost its power. */
    boolean off = !node.ready() && isolated.poweredOff(member.node(), boot);
    return off ? DeathEvidence.POWERED_OFF : null;
  }

  /**
   * New ends in the future come from wrong clocks: nothing was observed later than now. They move
   * back together, so that their order does not change.
   */
  static List<Member> notAhead(List<Member> before, List<Member> after, Instant now) {
    Duration ahead = Duration.ZERO;
    for (int i = 0; i < after.size(); i++) {
      Instant end = after.get(i).endedAt();
      if (!before.get(i).dead() && end != null && end.isAfter(now.plus(ahead))) {
        ahead = Duration.between(now, end);
      }
    }
    if (ahead.isZero()) {
      return after;
    }
    List<Member> moved = new ArrayList<>();
    for (int i = 0; i < after.size(); i++) {
      Instant end = after.get(i).endedAt();
      moved.add(
          end != null && end.isAfter(now) && !before.get(i).dead()
              ? after.get(i).endedAt(end.minus(ahead))
              : after.get(i));
    }
    return moved;
  }

  /**
   * Returns one fact for each member with a changed state or a new pod, and one for devices that
   * are disputed or changed without the member's state.
   */
  static List<Fact> facts(List<Member> before, List<Member> after) {
    List<Fact> facts = new ArrayList<>();
    for (int i = 0; i < after.size(); i++) {
      Member was = before.get(i);
      Member is = after.get(i);
      boolean moved = !was.holding(is.devices()).equals(is);
      if (!moved || is.devices().disputed()) {
        DeviceTransitions.fact(was, is).ifPresent(facts::add);
      }
      if (!moved) {
        continue;
      }
      String state = is.state().name();
      Fact fact =
          Fact.of("Member" + state.charAt(0) + state.substring(1).toLowerCase(Locale.ROOT))
              .with("member", is.key())
              .with("node", is.nodeName());
      fact = is.exitCode() == null ? fact : fact.with("exitCode", is.exitCode());
      fact = is.reason() == null ? fact : fact.with("reason", is.reason());
      facts.add(is.evidence() == null ? fact : fact.with("evidence", is.evidence().name()));
    }
    return facts;
  }

  /** The end of a member, to find the first. A member without a time comes last. */
  static Instant endOf(Member member) {
    return member.endedAt() == null ? Instant.MAX : member.endedAt();
  }
}
