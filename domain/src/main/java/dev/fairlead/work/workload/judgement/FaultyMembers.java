package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.GangRepair;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Members that a running gang loses to a fault. The gang continues with or without replacements.
 * Like any leaving member, they hold their resources until there is evidence of their death. The
 * gang ends as a whole if its program may not reconnect, if it would have fewer members than its
 * job needs, if it loses the host of its rendezvous, if no place is found for another member, and
 * after too many replacements. Pure.
 */
final class FaultyMembers {
  private FaultyMembers() {}

  /**
   * @param seen the attempt with its observed members
   */
  static Resizing.Settled leave(Attempt seen, Job job, Observations view) {
    boolean goesOn = mayGoOn(seen, job, view) && !awaitsOthers(seen, job, view);
    List<Member> faulty = goesOn ? faulty(seen, view) : List.of();
    long lately = seen.goneSince(view.now().minus(GangRepair.WITHIN));
    boolean few = faulty.size() + lately <= GangRepair.MOST;
    if (faulty.isEmpty() || !few || !enoughStay(seen, job.spec(), faulty)) {
      return new Resizing.Settled(seen, List.of());
    }
    List<Member> members = new ArrayList<>(seen.members());
    members.replaceAll(m -> faulty.contains(m) ? m.leaving(view.now()) : m);
    List<Fact> facts =
        faulty.stream()
            .map(m -> Resizing.fact(m.leaving(view.now())).with("message", why(seen, m, job, view)))
            .toList();
    return new Resizing.Settled(seen.with(members), facts);
  }

  /**
   * Segments stay whole. The launcher defines whether the processes of other members survive a
   * sudden loss. Members of a gang of fixed size are replaced one at a time.
   */
  private static boolean mayGoOn(Attempt seen, Job job, Observations view) {
    JobSpec spec = job.spec();
    boolean runs = seen.state() == AttemptState.RUNNING || seen.state() == AttemptState.UNKNOWN;
    boolean ends = view.wanted() == JobState.CANCELLING || view.wanted() == JobState.SUSPENDED;
    return runs
        && !ends
        && Launchers.of(spec.launcher()).repairs()
        && spec.placement().segment() == null
        && (spec.elastic() || GangRepair.allowed(spec, seen, view.now()));
  }

  /**
   * Returns whether another member of a fixed-size gang with a lost member is unreachable: until it
   * is back no replacement would join, and the wait would expire. If the replacement is dead as
   * well, the gang ends for both failures.
   */
  static boolean awaitsOthers(Attempt seen, Job job, Observations view) {
    List<Member> failed = FirstFailure.failed(seen);
    return job.spec().gangRepair() != null
        && seen.state() == AttemptState.UNKNOWN
        && mayGoOn(seen, job, view)
        && failed.size() == 1
        && FirstFailure.diedOfMachine(failed.getFirst())
        && enoughStay(seen, job.spec(), failed)
        && seen.core().stream().anyMatch(m -> UnreachableMembers.unreachable(m, view));
  }

  /**
   * Members that hold a faulty device, and members that died with a machine or device once that may
   * be judged, none if a member failed for any other reason, since that ends the gang.
   */
  private static List<Member> faulty(Attempt seen, Observations view) {
    Instant settled = FirstFailure.settledAt(seen, view.timeouts().settle());
    boolean judged = settled != null && !view.now().isBefore(settled);
    List<Member> failed = FirstFailure.failed(seen);
    if (!failed.stream().allMatch(m -> sick(m, view) || FirstFailure.diedOfMachine(m))) {
      return List.of();
    }
    return seen.core().stream().filter(m -> sick(m, view) || judged && failed.contains(m)).toList();
  }

  private static boolean sick(Member member, Observations view) {
    return view.isolated().sick(member, view.nodes());
  }

  private static boolean lately(Member member, Instant now) {
    Member.Standing standing = member.standing();
    return standing != null && standing.since().isAfter(now.minus(GangRepair.WITHIN));
  }

  /**
   * Returns whether enough other members remain: the host and each role's minimum or, in a gang
   * with repair, all but one member. A completed member does not repeat the work of a lost member.
   */
  private static boolean enoughStay(Attempt seen, JobSpec spec, List<Member> faulty) {
    List<Member> staying =
        seen.core().stream().filter(m -> !m.dead() && !faulty.contains(m)).toList();
    String first = spec.roles().getFirst().name();
    boolean enough =
        spec.gangRepair() != null
            ? staying.size() == spec.members() - 1
            : spec.roles().stream().allMatch(role -> count(staying, role) >= role.minCount());
    return enough && staying.stream().anyMatch(m -> m.index() == 0 && m.role().equals(first));
  }

  private static long count(List<Member> members, RoleSpec role) {
    return members.stream().filter(m -> m.role().equals(role.name())).count();
  }

  /**
   * Failure of an attempt that lost a member to a fault within the last hour: the remaining members
   * did not continue. The result is empty when none was taken.
   */
  static Optional<Failure> explains(Attempt ended, Observations view) {
    return ended.everyMember().stream()
        .filter(m -> m.startedAt() != null && lately(m, view.now()))
        .map(Member::staying)
        .flatMap(m -> fault(ended, m, view).stream())
        .findFirst();
  }

  private static Optional<Failure> fault(Attempt ended, Member taken, Observations view) {
    List<Member> with = new ArrayList<>(ended.core());
    with.add(taken);
    return view.isolated()
        .failure(ended.with(with), view.nodes(), view.now())
        .or(() ->
            taken.dead() && FirstFailure.diedOfMachine(taken)
                ? Optional.of(FirstFailure.of(ended, taken))
                : Optional.empty());
  }

  /**
   * Failure of an incomplete gang without a node for the replacement in time, empty while it may
   * wait, and for a complete one.
   */
  static Optional<Failure> notReplaced(Attempt seen, Job job, Observations view) {
    Instant until = waitsUntil(seen, job);
    return until == null || view.now().isBefore(until)
        ? Optional.empty()
        : Optional.of(unreplaced(seen, view));
  }

  /**
   * End of its wait for a replacement, null for a complete gang, or an unreachable one: the
   * evidence that lets the others continue also lets the whole gang restart.
   */
  static @Nullable Instant waitsUntil(Attempt attempt, Job job) {
    return attempt.state() == AttemptState.RUNNING
        ? GangRepair.waitsUntil(job.spec(), attempt)
        : null;
  }

  /** Reason why the attempt is not whole. */
  private static Failure unreplaced(Attempt seen, Observations view) {
    return explains(seen, view)
        .orElseGet(() ->
            Failure.of(
                FailureCause.START_TIMEOUT,
                "no other member replaced "
                    + GangRepair.replaced(seen).map(Member::key).orElse("a lost member"),
                seen.number()));
  }

  /** For the owner. */
  private static String why(Attempt seen, Member member, Job job, Observations view) {
    Failure failure =
        view.isolated()
            .failure(seen.with(List.of(member)), view.nodes(), view.now())
            .orElseGet(() -> FirstFailure.of(seen, member));
    return failure.message()
        + (job.spec().elastic()
            ? "; the others continue"
            : "; the other members wait for a replacement");
  }
}
