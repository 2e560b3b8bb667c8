package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State changes of joining and leaving members of a running attempt. A joining member belongs to
 * the attempt from the moment it runs. A joining member that does not start in time is ordered to
 * leave, and the attempt continues without it. A dead member has left and releases its resources.
 * Pure.
 */
final class Resizing {
  private Resizing() {}

  /** The attempt with its members in their current membership. */
  record Settled(Attempt attempt, List<Fact> facts) {}

  /**
   * @param seen the attempt with its observed members
   */
  static Settled settle(Attempt seen, Job job, Observations view) {
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
      Member now = member.standing() == null ? member : next(member, seen, alone, job, view);
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
      Member member, Attempt seen, boolean alone, Job job, Observations view) {
    boolean well = member.state() == MemberState.RUNNING || member.state() == MemberState.SUCCEEDED;
    if (member.joins() && well) {
      return member.staying();
    }
    if (member.dead()) {
      return member.left(view.now());
    }
    Instant limit = limit(member, seen, job, view.timeouts());
    boolean late = limit != null && !view.now().isBefore(limit);
    return member.joins() && (alone || late || NoticeEviction.closed(member, view))
        ? member.leaving(view.now())
        : member;
  }

  /**
   * Start limit of a joining member, which starts after the leaving ones have ended within their
   * grace period, null for any other, and while a member that the gang waits for is unreachable: no
   * replacement is created then.
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

  /** Next time when a membership changes without an event, null for never. */
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

  /** Leaving members with a pod that is not known to be deleted. */
  static List<MemberKey> untold(Attempt attempt, ObservedWorkload observed) {
    return attempt.members().stream()
        .filter(m -> m.leaves() && !m.dead())
        .map(MemberKey::of)
        .filter(key -> observed.member(key).filter(ObservedMember::deleting).isEmpty())
        .toList();
  }

  /** The new membership of a member. */
  static Fact fact(Member member) {
    Member.Standing standing = member.standing();
    String type =
        standing == null
            ? "MemberJoined"
            : standing.place() == Member.Place.LEFT ? "MemberLeft" : "MemberLeaving";
    return Fact.of(type).with("member", member.key()).with("node", member.nodeName());
  }
}
