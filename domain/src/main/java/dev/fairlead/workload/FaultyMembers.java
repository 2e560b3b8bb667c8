package dev.fairlead.workload;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.AttemptState;
import dev.fairlead.attempt.Failure;
import dev.fairlead.attempt.Member;
import dev.fairlead.event.Fact;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobState;
import dev.fairlead.spec.JobSpec;
import dev.fairlead.spec.JobSpec.Launcher;
import dev.fairlead.spec.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Members that a fault takes from a running elastic gang, which goes on without them: they are told
 * to leave, and hold what they have until there is evidence of their death, as any that leaves. The
 * gang ends as a whole where its program may not meet again by itself, where it would have fewer
 * members than its job needs, where it loses the host of its rendezvous, and after too many. Pure.
 */
final class FaultyMembers {
  /** More than that many in {@link #WITHIN} may be the job's own doing: then its faults count. */
  static final int MOST = 3;

  static final Duration WITHIN = Duration.ofHours(1);

  private FaultyMembers() {}

  /**
   * @param seen the attempt with its members as they are seen
   */
  static Resizing.Settled leave(Attempt seen, Job job, Observations scene) {
    List<Member> faulty = mayGoOn(seen, job, scene) ? faulty(seen, scene) : List.of();
    boolean few = faulty.size() + leftLately(seen, scene.now()) <= MOST;
    if (faulty.isEmpty() || !few || !enoughStay(seen, job.spec(), faulty)) {
      return new Resizing.Settled(seen, List.of());
    }
    List<Member> members = new ArrayList<>(seen.members());
    members.replaceAll(m -> faulty.contains(m) ? m.leaving(scene.now()) : m);
    List<Fact> facts =
        faulty.stream()
            .map(m -> Resizing.fact(m.leaving(scene.now())).with("message", why(seen, m, scene)))
            .toList();
    return new Resizing.Settled(seen.with(members), facts);
  }

  /** Segments are whole ones; members of other launchers may not live through a sudden loss. */
  private static boolean mayGoOn(Attempt seen, Job job, Observations scene) {
    JobSpec spec = job.spec();
    boolean runs = seen.state() == AttemptState.RUNNING || seen.state() == AttemptState.UNKNOWN;
    boolean ends = scene.wanted() == JobState.CANCELLING || scene.wanted() == JobState.SUSPENDED;
    return runs
        && !ends
        && spec.elastic()
        && spec.launcher() == Launcher.TORCHRUN
        && spec.placement().segment() == null;
  }

  /**
   * Those that hold what is sick, and those that died with a machine or device once that may be
   * judged; none while a member failed for any other reason, since that ends the gang.
   */
  private static List<Member> faulty(Attempt seen, Observations scene) {
    Instant settled = FirstFailure.settledAt(seen, scene.timeouts().settle());
    boolean judged = settled != null && !scene.now().isBefore(settled);
    List<Member> failed = FirstFailure.failed(seen);
    if (!failed.stream().allMatch(m -> sick(m, scene) || FirstFailure.diedOfMachine(m))) {
      return List.of();
    }
    return seen.core().stream()
        .filter(m -> sick(m, scene) || judged && failed.contains(m))
        .toList();
  }

  private static boolean sick(Member member, Observations scene) {
    return scene.isolated().sick(member, scene.nodes());
  }

  /** Members that left or are leaving since then, whatever for. */
  private static long leftLately(Attempt seen, Instant now) {
    return seen.everyMember().stream().filter(m -> !m.joins() && lately(m, now)).count();
  }

  private static boolean lately(Member member, Instant now) {
    Member.Standing standing = member.standing();
    return standing != null && standing.since().isAfter(now.minus(WITHIN));
  }

  /**
   * The others keep their host and, in each role, as many as the job needs. One that is done does
   * nothing again that a lost one had done.
   */
  private static boolean enoughStay(Attempt seen, JobSpec spec, List<Member> faulty) {
    List<Member> staying =
        seen.core().stream().filter(m -> !m.dead() && !faulty.contains(m)).toList();
    String first = spec.roles().getFirst().name();
    return staying.stream().anyMatch(m -> m.index() == 0 && m.role().equals(first))
        && spec.roles().stream().allMatch(role -> count(staying, role) >= role.minCount());
  }

  private static long count(List<Member> members, RoleSpec role) {
    return members.stream().filter(m -> m.role().equals(role.name())).count();
  }

  /**
   * Why an attempt failed that a fault took a member from within the last {@link #WITHIN}: those
   * that were to go on without it did not. Empty when none was taken.
   */
  static Optional<Failure> explains(Attempt ended, Observations scene) {
    return ended.everyMember().stream()
        .filter(m -> m.startedAt() != null && lately(m, scene.now()))
        .map(Member::staying)
        .flatMap(m -> fault(ended, m, scene).stream())
        .findFirst();
  }

  private static Optional<Failure> fault(Attempt ended, Member taken, Observations scene) {
    List<Member> with = new ArrayList<>(ended.core());
    with.add(taken);
    return scene
        .isolated()
        .failure(ended.with(with), scene.nodes(), scene.now())
        .or(() ->
            taken.dead() && FirstFailure.diedOfMachine(taken)
                ? Optional.of(FirstFailure.of(ended, taken))
                : Optional.empty());
  }

  /** For the owner. */
  private static String why(Attempt seen, Member member, Observations scene) {
    Failure failure =
        scene
            .isolated()
            .failure(seen.with(List.of(member)), scene.nodes(), scene.now())
            .orElseGet(() -> FirstFailure.of(seen, member));
    return failure.message() + "; the others run on";
  }
}
