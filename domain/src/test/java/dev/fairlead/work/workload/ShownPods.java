package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import java.util.List;

/** Pods as {@link Watched} shows them, with one thing changed. */
final class ShownPods {
  private ShownPods() {}

  /** It carries the request to save its work. */
  static ObservedMember asked(ObservedMember p) {
    return with(p, p.state(), p.deleting(), p.held(), true, p.devices());
  }

  /** Its deletion was asked for. */
  static ObservedMember deleting(ObservedMember p) {
    return with(p, p.state(), true, p.held(), p.asked(), p.devices());
  }

  /** A container that has ended by its exit code, while something holds its node. */
  static ObservedMember held(ObservedMember p, ObservedMember.Held held) {
    boolean well = Integer.valueOf(0).equals(p.exitCode());
    MemberState state = well ? MemberState.SUCCEEDED : MemberState.FAILED;
    return with(p, state, p.deleting(), held, p.asked(), p.devices());
  }

  /** Its status names these devices. */
  static ObservedMember holding(ObservedMember p, List<HeldDevice> devices) {
    return with(p, p.state(), p.deleting(), p.held(), p.asked(), devices);
  }

  private static ObservedMember with(
      ObservedMember p,
      MemberState state,
      boolean deleting,
      ObservedMember.Held held,
      boolean asked,
      List<HeldDevice> devices) {
    return new ObservedMember(
        p.key(),
        p.uid(),
        state,
        p.node(),
        p.started(),
        p.exitCode(),
        p.reason(),
        p.message(),
        p.startedAt(),
        p.endedAt(),
        deleting,
        held,
        asked,
        devices);
  }
}
