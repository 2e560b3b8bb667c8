package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Job;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Members of a running gang that have ended with success while others still run. They leave the
 * attempt and release their resources, and the gang continues. The settling time passes first, so
 * that a gang whose members end together releases everything in one transaction. A gang that may
 * get other members retains them: it would replace a finished one. Pure.
 */
final class FinishedMembers {
  private FinishedMembers() {}

  /**
   * Returns the attempt without the members that are due.
   *
   * @param seen the attempt with its observed members
   */
  static Resizing.Settled release(Attempt seen, Job job, Observations view) {
    List<Member> here = new ArrayList<>();
    List<Member> left = new ArrayList<>(seen.left());
    List<Fact> facts = new ArrayList<>();
    boolean mayLeave = mayLeave(seen, job);
    for (Member member : seen.members()) {
      Instant due = mayLeave ? due(member, seen, view.timeouts()) : null;
      if (due == null || waits(due, view)) {
        here.add(member);
      } else {
        Member gone = member.left(view.now());
        left.add(gone);
        facts.add(
            Resizing.fact(gone)
                .with("message", "finished before the others, and released its resources"));
      }
    }
    return facts.isEmpty()
        ? new Resizing.Settled(seen, List.of())
        : new Resizing.Settled(seen.with(here, left), facts);
  }

  /** A time later than any possible settling time is from a wrong clock and causes no delay. */
  private static boolean waits(Instant due, Observations view) {
    Instant latest = view.now().plus(view.timeouts().settle().multipliedBy(2));
    return view.now().isBefore(due) && !due.isAfter(latest);
  }

  /** Returns when the next member may leave, null for never. */
  static @Nullable Instant lookAgain(Attempt attempt, Job job, WorkloadTimeouts timeouts) {
    return mayLeave(attempt, job)
        ? attempt.members().stream()
            .flatMap(m -> Stream.ofNullable(due(m, attempt, timeouts)))
            .min(Comparator.naturalOrder())
            .orElse(null)
        : null;
  }

  /**
   * Returns whether finished members may leave: others run, and none has failed, which would end
   * the gang.
   */
  private static boolean mayLeave(Attempt attempt, Job job) {
    boolean fixed =
        !job.spec().elastic()
            && job.spec().gangRepair() == null
            && attempt.core().size() == attempt.members().size()
            && attempt.left().stream().allMatch(Member::finished);
    boolean runs =
        attempt.state() == AttemptState.RUNNING || attempt.state() == AttemptState.UNKNOWN;
    return fixed
        && runs
        && attempt.members().stream().anyMatch(m -> !m.dead())
        && attempt.members().stream().allMatch(m -> !m.dead() || m.finished());
  }

  /**
   * The settling time after its end or the start of the gang, whichever is later. The result is
   * null unless its kubelet has reported that end, and before the start: members that have yet to
   * run need its host.
   */
  private static @Nullable Instant due(Member member, Attempt attempt, WorkloadTimeouts timeouts) {
    Instant end = member.endedAt();
    Instant started = attempt.startedAt();
    if (end == null
        || started == null
        || !member.finished()
        || member.evidence() != DeathEvidence.CONTAINER_TERMINATED) {
      return null;
    }
    return (started.isAfter(end) ? started : end).plus(timeouts.settle());
  }
}
