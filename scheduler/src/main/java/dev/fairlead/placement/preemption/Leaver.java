package dev.fairlead.placement.preemption;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.Member;
import dev.fairlead.job.SizeTransitions;
import dev.fairlead.placement.reservation.Holder;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * What may go at once: a member that its gang can do without, or all of an attempt.
 *
 * @param key as in {@link RunningJob}
 * @param whole whether nothing of the attempt is left when these go
 */
record Leaver(String key, Holder holder, List<Member> members, boolean whole) {
  private static final double MILLIS = 1000;
  private static final int LAST = 99_999;

  Leaver {
    members = List.copyOf(members);
  }

  /** Of one attempt: each member beyond its fewest, and all of it. */
  static void of(Holder holder, SortedMap<String, Leaver> leavers) {
    Attempt attempt = holder.attempt();
    String id = attempt.id().text();
    for (Member member : SizeTransitions.surplus(holder.job(), attempt)) {
      // of equal members the last goes first: keys break ties
      String key = "%s/%05d-%s".formatted(id, LAST - member.index(), member.role());
      leavers.put(key, new Leaver(key, holder, List.of(member), false));
    }
    leavers.put(id, new Leaver(id, holder, attempt.members(), true));
  }

  RunningJob running() {
    return new RunningJob(
        key,
        holder.attempt().id().text(),
        holder.job().queue(),
        holder.job().priority(),
        holder.lost(members),
        seconds(holder.job().createdAt()),
        false,
        whole ? holder.charges() : Attempt.charges(members));
  }

  /** On the clock of {@link RunningJob#created}. */
  static double seconds(Instant time) {
    return time.toEpochMilli() / MILLIS;
  }
}
