package dev.fairlead.work.workload.output;

import dev.fairlead.work.log.MemberLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Selects the members of one round. Ended members come first, but a quarter of the slots is
 * reserved for running members. Slots alternate between projects, so that a project with many
 * members does not take all. Within a project the order is by waiting time.
 */
final class OutputTurn {
  private static final int SHARE_OF_RUNNING = 4;

  private OutputTurn() {}

  /** Returns at most {@code places} members, in a mutable list. */
  static List<FollowedMember> of(List<FollowedMember> due, int places) {
    List<FollowedMember> ended = fair(due.stream().filter(FollowedMember::ended).toList());
    List<FollowedMember> others = fair(due.stream().filter(m -> !m.ended()).toList());
    int ofOthers =
        Math.min(others.size(), Math.max(places / SHARE_OF_RUNNING, places - ended.size()));
    List<FollowedMember> turn =
        new ArrayList<>(ended.subList(0, Math.min(ended.size(), places - ofOthers)));
    turn.addAll(others.subList(0, ofOthers));
    return turn;
  }

  /** A member and the number of earlier members of its project. */
  private record Ranked(FollowedMember member, int rank) {}

  private static List<FollowedMember> fair(List<FollowedMember> members) {
    Map<UUID, Integer> counts = new TreeMap<>();
    return members.stream()
        .sorted(Comparator.comparingLong(FollowedMember::dueAt))
        .map(member -> new Ranked(member, counts.merge(project(member), 1, Integer::sum)))
        .sorted(Comparator.comparingInt(Ranked::rank))
        .map(Ranked::member)
        .toList();
  }

  /** Returns the attempt's id instead while the project is not known. */
  private static UUID project(FollowedMember member) {
    MemberLog log = member.log();
    return log == null ? member.attempt.value() : log.of().project().value();
  }
}
