package dev.fairlead.work.workload.output;

import dev.fairlead.work.log.MemberLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Which members are looked at in one turn. Those that have ended come first, but a quarter of the
 * places stays for the others; and projects take turns, so that one with many members leaves places
 * for the rest. Within a project those that waited longest come first.
 */
final class OutputTurn {
  private static final int SHARE_OF_RUNNING = 4;

  private OutputTurn() {}

  /** At most so many of them, in a list that may be added to. */
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

  /** A member and how many of its project come before it. */
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

  /** The attempt stands for a project that is not known yet. */
  private static UUID project(FollowedMember member) {
    MemberLog log = member.log();
    return log == null ? member.attempt.value() : log.of().project().value();
  }
}
