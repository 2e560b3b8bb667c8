package dev.fairlead.work.workload.judgement;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.EventTypes;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Moves the resources of members to the nodes of their pods. Pure. */
public final class PlaceTransitions {
  private PlaceTransitions() {}

  /**
   * Resources for a member.
   *
   * @param from node that has the resources
   * @param name name of the node
   * @param gpus free GPUs of the node, as many as the member holds
   */
  public record Place(NodeId from, NodeId node, String name, List<GpuShare> gpus) {
    public Place {
      gpus = List.copyOf(gpus);
    }
  }

  /** The result is empty if the attempt has ended, or if none of the members is where it was. */
  public static Optional<Transition> moved(
      Job job, Attempt attempt, Map<MemberKey, Place> places, String actor) {
    List<Member> members = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    for (Member member : attempt.members()) {
      Place place = places.get(MemberKey.of(member));
      if (place == null || member.dead() || !member.node().equals(place.from())) {
        members.add(member);
      } else {
        members.add(member.movedTo(place.node(), place.name(), place.gpus()));
        facts.add(
            Fact.of(EventTypes.MEMBER_MOVED)
                .with("member", member.key())
                .with("node", place.name()));
      }
    }
    return facts.isEmpty() || !attempt.live()
        ? Optional.empty()
        : Optional.of(
            Transition.of(
                job, attempt.with(members, attempt.left()), AllocationChange.MOVE, facts, actor));
  }
}
