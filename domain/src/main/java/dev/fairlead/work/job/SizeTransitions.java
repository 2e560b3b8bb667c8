package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

/**
 * Members join a running attempt or are ordered to leave it. The attempt continues in either case.
 * Pure. Empty results mean that the attempt no longer runs as planned.
 */
public final class SizeTransitions {
  private SizeTransitions() {}

  /**
   * The members are stored with their resources before any of their objects is created.
   *
   * @param joining with indexes from {@link Attempt#nextIndex} on. Their resources are allocated in
   *     the same commit
   */
  public static Optional<Transition> grow(
      Job job, Attempt attempt, List<Member> joining, Instant now, String actor) {
    List<Member> all = new ArrayList<>(attempt.members());
    joining.forEach(m -> all.add(m.joining(now)));
    boolean fresh = joining.stream().allMatch(m -> m.index() >= attempt.nextIndex(m.role()));
    boolean repairs = job.spec().gangRepair() != null;
    boolean allowed = !repairs || GangRepair.allowed(job.spec(), attempt, now);
    if (!runs(job, attempt) || !fresh || !allowed || above(job, all)) {
      return Optional.empty();
    }
    Fact fact =
        repairs
            ? replaced(job, attempt, joining.getFirst())
            : JobTransitions.attemptFact("AttemptGrown", attempt)
                .with("joining", joining.size())
                .with("members", all.size());
    return Optional.of(changed(job, attempt.with(all), AllocationChange.JOIN, fact, actor));
  }

  private static Fact replaced(Job job, Attempt attempt, Member joining) {
    Fact fact =
        JobTransitions.attemptFact("MemberReplaced", attempt)
            .with("member", joining.key())
            .with("node", joining.nodeName());
    return GangRepair.replaced(attempt)
        .map(lost ->
            fact.with("replaces", lost.key())
                .with("from", lost.nodeName())
                .with(
                    "message",
                    "%s of %d members is replaced by %s: %s -> %s"
                        .formatted(
                            lost.key(),
                            job.spec().members(),
                            joining.key(),
                            lost.nodeName(),
                            joining.nodeName())))
        .orElse(fact);
  }

  /**
   * The members are ordered to end. They hold their resources until there is evidence of their
   * death.
   *
   * @param why for the owner
   */
  public static Optional<Transition> shrink(
      Job job,
      Attempt attempt,
      Collection<MemberKey> leaving,
      String why,
      Instant now,
      String actor) {
    SortedSet<MemberKey> keys = new TreeSet<>(leaving);
    List<Member> told =
        attempt.members().stream()
            .map(m -> keys.contains(MemberKey.of(m)) && !m.leaves() ? m.leaving(now) : m)
            .toList();
    List<Member> rest = told.stream().filter(m -> m.standing() == null).toList();
    boolean fewer = rest.size() < attempt.core().size();
    if (!runs(job, attempt) || told.equals(attempt.members()) || fewer && below(job, rest)) {
      return Optional.empty();
    }
    Fact fact =
        JobTransitions.attemptFact("AttemptShrunk", attempt)
            .with("leaving", told.stream().filter(Member::leaves).count())
            .with("members", told.stream().filter(m -> !m.leaves()).count())
            .with("why", why);
    return Optional.of(changed(job, attempt.with(told), AllocationChange.KEEP, fact, actor));
  }

  /** Like {@link #shrink}, because another job gets their resources by this right. */
  public static Optional<Transition> evict(
      Job job,
      Attempt attempt,
      Collection<MemberKey> leaving,
      EvictionRight right,
      Instant now,
      String actor) {
    return shrink(job, attempt, leaving, right.text(), now, actor)
        .map(told ->
            new Transition(
                told.job(),
                told.elements(),
                told.attempt(),
                told.holding(),
                told.facts().stream().map(fact -> fact.with("right", right.name())).toList(),
                told.actor()));
  }

  /**
   * Abandons joining members without a pod. Their resources are released once it is certain that no
   * object was created.
   */
  public static Optional<Transition> giveUp(
      Job job, Attempt attempt, String why, Instant now, String actor) {
    List<MemberKey> waiting =
        attempt.members().stream()
            .filter(m -> m.joins() && m.toCreate())
            .map(MemberKey::of)
            .toList();
    return shrink(job, attempt, waiting, why, now, actor);
  }

  /**
   * Members that may leave while the others run: of each role those beyond its minimum, last first.
   * Never the first, because it hosts the rendezvous. The result is empty for a job with segments.
   */
  public static List<Member> surplus(Job job, Attempt attempt) {
    boolean may =
        job.spec().elastic() && job.spec().placement().segment() == null && runs(job, attempt);
    return may ? beyond(job, attempt, RoleSpec::minCount) : List.of();
  }

  /** Members beyond the job's desired number, last first. */
  public static List<Member> unwanted(Job job, Attempt attempt) {
    return runs(job, attempt) ? beyond(job, attempt, RoleSpec::count) : List.of();
  }

  private static List<Member> beyond(Job job, Attempt attempt, ToIntFunction<RoleSpec> kept) {
    List<Member> beyond = new ArrayList<>();
    for (RoleSpec role : job.spec().roles()) {
      attempt.core().stream()
          .filter(m -> m.role().equals(role.name()))
          .sorted(Comparator.comparingInt(Member::index))
          .skip(kept.applyAsInt(role))
          .forEach(beyond::add);
    }
    return beyond.reversed();
  }

  private static boolean runs(Job job, Attempt attempt) {
    return attempt.state() == AttemptState.RUNNING && job.state() == JobState.RUNNING;
  }

  private static boolean above(Job job, List<Member> members) {
    return job.spec().roles().stream().anyMatch(role -> count(role, members) > role.count());
  }

  /** A gang is never ordered below the minimum of its job. */
  private static boolean below(Job job, List<Member> rest) {
    return job.spec().roles().stream().anyMatch(role -> count(role, rest) < role.minCount());
  }

  private static long count(RoleSpec role, List<Member> members) {
    return members.stream().filter(m -> m.role().equals(role.name()) && !m.leaves()).count();
  }

  private static Transition changed(
      Job job, Attempt attempt, AllocationChange holding, Fact fact, String actor) {
    return Transition.of(job, attempt, holding, List.of(fact), actor);
  }
}
