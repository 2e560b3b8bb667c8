package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.attempt.MemberState;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the members that join a running attempt and of those that leave it. One that
 * joins belongs to the attempt from the moment it runs; one that does not come up in time is told
 * to leave, and the attempt lives on without it. One that is dead has left: what it held is free.
 * Pure.
 */
final class Resizing {
  private Resizing() {}

  /** The attempt with its members where they stand now. */
  record Settled(Attempt attempt, List<Fact> facts) {}

  /**
   * @param seen the attempt with its members as they are seen
   */
  static Settled settle(Attempt seen, Job job, Observations scene) {
    boolean steady =
        seen.members().stream().allMatch(m -> m.standing() == null)
            || seen.state() == AttemptState.STOPPING;
    if (steady) {
      return new Settled(seen, List.of());
    }
    boolean alone = seen.core().stream().allMatch(Member::dead);
    List<Member> here = new ArrayList<>();
    List<Member> left = new ArrayList<>(seen.left());
    List<Fact> facts = new ArrayList<>();
    for (Member member : seen.members()) {
      Member now = member.standing() == null ? member : next(member, seen, alone, job, scene);
      if (now.standing() != null && now.standing().place() == Member.Place.LEFT) {
        left.add(now);
      } else {
        here.add(now);
      }
      if (!now.equals(member)) {
        facts.add(fact(now));
      }
    }
    return new Settled(seen.with(here, left), facts);
  }

  private static Member next(
      Member member, Attempt seen, boolean alone, Job job, Observations scene) {
    boolean well = member.state() == MemberState.RUNNING || member.state() == MemberState.SUCCEEDED;
    if (member.joins() && well) {
      return member.staying();
    }
    if (member.dead()) {
      return member.left(scene.now());
    }
    Instant limit = limit(member, seen, job, scene.timeouts());
    boolean late = limit != null && !scene.now().isBefore(limit);
    return member.joins() && (alone || late) ? member.leaving(scene.now()) : member;
  }

  /**
   * Until when a member that joins may take to run, which it cannot before the others have left, as
   * long as their grace period lets them take; null for any other, and for one that a gang waits
   * for that cannot be seen: nothing of it is created then, and another came up no sooner.
   */
  private static @Nullable Instant limit(
      Member member, Attempt attempt, Job job, WorkloadTimeouts timeouts) {
    Member.Standing standing = member.standing();
    boolean hidden = job.spec().gangRepair() != null && attempt.state() == AttemptState.UNKNOWN;
    if (standing == null || !member.joins() || hidden) {
      return null;
    }
    Duration grace = job.spec().preemption().gracePeriod();
    Instant since = standing.since();
    for (Member gone : attempt.everyMember()) {
      Member.Standing last = gone.standing();
      if (last != null && !gone.joins()) {
        Instant end = gone.leaves() ? last.since().plus(grace) : last.since();
        since = end.isAfter(since) ? end : since;
      }
    }
    return since.plus(
        FirstFailure.isStuck(member)
            ? timeouts.imageError()
            : member.state() == MemberState.PULLING ? timeouts.imagePull() : timeouts.gangStart());
  }

  /** When time alone changes where a member stands, null for never. */
  static @Nullable Instant lookAgain(Attempt attempt, Job job, WorkloadTimeouts timeouts) {
    Instant next = null;
    for (Member member : attempt.members()) {
      Instant limit = limit(member, attempt, job, timeouts);
      if (limit != null && (next == null || limit.isBefore(next))) {
        next = limit;
      }
    }
    return next;
  }

  /** Members that leave and whose pod was not told so yet, as far as can be seen. */
  static List<MemberKey> untold(Attempt attempt, ObservedWorkload observed) {
    return attempt.members().stream()
        .filter(m -> m.leaves() && !m.dead())
        .map(MemberKey::of)
        .filter(key -> observed.member(key).filter(ObservedMember::deleting).isEmpty())
        .toList();
  }

  /** Where a member stands from now on. */
  static Fact fact(Member member) {
    Member.Standing standing = member.standing();
    String type =
        standing == null
            ? "MemberJoined"
            : standing.place() == Member.Place.LEFT ? "MemberLeft" : "MemberLeaving";
    return Fact.of(type).with("member", member.key()).with("node", member.nodeName());
  }
}
