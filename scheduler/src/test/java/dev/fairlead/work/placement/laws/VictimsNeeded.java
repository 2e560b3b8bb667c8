package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Once all victims of a plan have left, every job that they were evicted for starts. If one victim
 * were spared, that job or an earlier one would not start: jobs share one quota, and earlier jobs
 * take their reserved nodes first. Overdue members are not awaited. Fails when VictimSearch does
 * not remove unneeded victims, and when Room.vacate ignores reservations for others.
 */
final class VictimsNeeded implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    Planned planned = Planned.of(world);
    World told = After.of(world, planned.plan());
    List<Decision.Preempt> preempts = Leaving.preempts(planned);
    boolean overdue = false;
    SortedSet<AttemptId> leaving = new TreeSet<>();
    Leaving.of(world).stream()
        .filter(l -> !Leaving.by(l, world.asOf().minus(RunningAttempt.PATIENCE)))
        .forEach(l -> leaving.add(l.attempt().id()));
    for (int i = 0; i < preempts.size(); i++) {
      Decision.Preempt preempt = preempts.get(i);
      preempt.victims().forEach(v -> leaving.add(v.attempt()));
      List<Reservation> owed = owed(world, told, leaving);
      List<Decision.Preempt> upTo = preempts.subList(0, i + 1);
      overdue |= preempt.victims().stream().anyMatch(v -> overdue(world, v));
      for (Decision.Preempt.Eviction victim :
          overdue ? List.<Decision.Preempt.Eviction>of() : preempt.victims()) {
        for (MemberKey member : victim.members()) {
          World spared = Leaving.spared(told, victim.attempt(), member);
          if (startInTurn(told, leaving, upTo, owed)
              && startInTurn(spared, leaving, upTo, owed)
              && startsUnpromised(spared, leaving, preempt)
              && !onlyByBorrowing(spared, leaving, preempt)) {
            return Optional.of("starts though this member stays: " + member + " of " + victim);
          }
        }
        SortedSet<AttemptId> others = new TreeSet<>(leaving);
        others.remove(victim.attempt());
        World unhurt = Leaving.spared(told, world, victim.attempt());
        if (startInTurn(told, others, upTo, owed)
            && startInTurn(unhurt, others, upTo, owed)
            && startsUnpromised(unhurt, others, preempt)
            && !onlyByBorrowing(told, others, preempt)) {
          return Optional.of("starts though this victim stays: " + victim);
        }
      }
    }
    return start(told, leaving, preempts)
        ? Optional.empty()
        : Optional.of("not all start though all victims have left: " + preempts);
  }

  /**
   * Returns whether other members of the victim are overdue. The plan does not count their
   * capacity, but this check would free it together with the victim.
   */
  private static boolean overdue(World world, Decision.Preempt.Eviction victim) {
    return Leaving.of(world).stream().anyMatch(l -> l.attempt().id().equals(victim.attempt()));
  }

  private static boolean start(
      World told, SortedSet<AttemptId> gone, List<Decision.Preempt> preempts) {
    Planned left = Planned.of(Leaving.gone(told, l -> gone.contains(l.attempt().id())));
    return preempts.stream()
        .allMatch(preempt -> left.started(preempt.job(), preempt.reservation().element()));
  }

  /**
   * The last job may start on any nodes, earlier jobs and jobs with older reservations only on
   * their reserved nodes.
   */
  private static boolean startInTurn(
      World told,
      SortedSet<AttemptId> gone,
      List<Decision.Preempt> preempts,
      List<Reservation> owed) {
    Planned left = Planned.of(Leaving.gone(told, l -> gone.contains(l.attempt().id())));
    Decision.Preempt last = preempts.getLast();
    return left.started(last.job(), last.reservation().element())
        && owed.stream().allMatch(r -> left.started(r.job(), r.element()))
        && preempts.subList(0, preempts.size() - 1).stream()
            .allMatch(before -> left.places().stream().anyMatch(p -> asKept(before, p)));
  }

  /**
   * Returns whether the job also starts without its reservation: a reservation with evictions
   * precedes reservations that wait for ends, and takes their free capacity.
   */
  private static boolean startsUnpromised(
      World spared, SortedSet<AttemptId> gone, Decision.Preempt preempt) {
    Reservation.Key its = preempt.reservation().key();
    World unpromised =
        Changed.reservations(
            spared, spared.reservations().stream().filter(r -> !r.key().equals(its)).toList());
    Planned left = Planned.of(Leaving.gone(unpromised, l -> gone.contains(l.attempt().id())));
    return left.started(preempt.job(), its.element());
  }

  /** Jobs with a reservation from before this plan, and jobs that start after the evictions. */
  private static List<Reservation> owed(World world, World told, SortedSet<AttemptId> leaving) {
    Planned left = Planned.of(Leaving.gone(told, l -> leaving.contains(l.attempt().id())));
    return world.reservations().stream()
        .filter(r -> r.kind() == Reservation.Kind.PREEMPTION)
        .filter(r -> left.started(r.job(), r.element()))
        .toList();
  }

  private static boolean asKept(Decision.Preempt preempt, Decision.Place place) {
    return place.job().equals(preempt.job())
        && place.element() == preempt.reservation().element()
        && nodes(place.members()).equals(nodes(preempt.reservation().members()));
  }

  private static List<NodeId> nodes(List<Member> members) {
    return members.stream().map(Member::node).sorted().toList();
  }

  /**
   * A borrowing queue may not reclaim. In this case the eviction of this victim allows the others.
   */
  private static boolean onlyByBorrowing(
      World told, SortedSet<AttemptId> gone, Decision.Preempt preempt) {
    World left = Leaving.gone(told, l -> gone.contains(l.attempt().id()));
    World started = After.of(left, Planned.of(left).plan());
    QuotaTree tree = new QuotaTree(started.quotaNodes(), started.quotaUses());
    return told.pending().stream()
        .filter(p -> p.job().id().equals(preempt.job()))
        .anyMatch(p ->
            preempt.reservation().charges().keySet().stream()
                .anyMatch(cell -> tree.borrowed(p.job().queue(), cell) > 0));
  }
}
