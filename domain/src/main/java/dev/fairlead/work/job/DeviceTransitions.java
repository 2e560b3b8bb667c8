package dev.fairlead.work.job;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberDevices;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Applies reports about the devices that members hold. Pure. */
public final class DeviceTransitions {
  private DeviceTransitions() {}

  /**
   * Applies the devices of the pods of a node according to one source. The result is empty if
   * nothing changes.
   *
   * @param node node of the report. Members on other nodes are ignored
   * @param pods devices by the UID of the pod, also of pods of other attempts
   * @param actor name of the reporter
   */
  public static Optional<Transition> reported(
      Job job,
      Attempt attempt,
      DeviceReporter source,
      NodeId node,
      Map<String, List<HeldDevice>> pods,
      String actor) {
    return changed(job, attempt, member -> reported(member, source, node, pods), actor);
  }

  /**
   * Applies the devices of the pods of an attempt according to one source. The result is empty if
   * nothing changes.
   *
   * @param pods devices by the UID of the pod
   * @param actor name of the reporter
   */
  public static Optional<Transition> reported(
      Job job,
      Attempt attempt,
      DeviceReporter source,
      Map<String, List<HeldDevice>> pods,
      String actor) {
    return changed(job, attempt, member -> reported(member, source, member.node(), pods), actor);
  }

  private static Optional<Transition> changed(
      Job job, Attempt attempt, UnaryOperator<Member> report, String actor) {
    List<Member> members = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    for (Member member : attempt.members()) {
      Member next = report.apply(member);
      fact(member, next).ifPresent(facts::add);
      members.add(next);
    }
    return facts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Transition.of(
                job, attempt.with(members, attempt.left()), AllocationChange.KEEP, facts, actor));
  }

  /** Returns the member with the devices that the report of a node names for its pod. */
  public static Member reported(
      Member member, DeviceReporter source, NodeId node, Map<String, List<HeldDevice>> pods) {
    String uid = member.uid();
    return uid == null || member.dead() || !member.node().equals(node)
        ? member
        : member.holding(member.devices().with(source, pods.getOrDefault(uid, List.of())));
  }

  /** Returns the fact that the devices of a member changed. */
  public static Optional<Fact> fact(Member before, Member after) {
    if (before.devices().equals(after.devices())) {
      return Optional.empty();
    }
    boolean disputed = after.devices().disputed();
    String reports =
        after.devices().reports().stream()
            .map(DeviceTransitions::text)
            .collect(Collectors.joining("; "));
    return Optional.of(
        Fact.of(disputed ? EventTypes.DEVICES_DISPUTED : EventTypes.DEVICES_REPORTED)
            .with("member", after.key())
            .with("node", after.nodeName())
            .with("devices", reports));
  }

  private static String text(MemberDevices.Report report) {
    return report.devices().stream().map(HeldDevice::gpu).collect(Collectors.joining(", "))
        + " according to "
        + report.source().text();
  }
}
