package dev.fairlead.work.placement.consolidation;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.Comparator;

/**
 * A running attempt that may be moved.
 *
 * @param assignment its cluster and flavors, on which it must restart
 * @param gang the shape in which its job will wait
 * @param cost GPU seconds that a move discards, member seconds without GPUs
 */
record Movable(RunningAttempt running, FlavorAssignment assignment, GangShape gang, double cost) {
  /** Orders the largest attempt first, because it is the hardest to place. */
  static final Comparator<Movable> LARGEST_FIRST =
      Comparator.comparingLong((Movable m) -> -m.gpuMilli())
          .thenComparing(m -> m.running().attempt().id());

  static final Comparator<Movable> DEAREST_FIRST =
      Comparator.comparingDouble((Movable m) -> -m.cost())
          .thenComparing(m -> m.running().attempt().id());

  private long gpuMilli() {
    return running.attempt().members().stream().mapToLong(m -> m.request().gpuMilli()).sum();
  }

  /** Returns the current number of members of each role. */
  int[] counts() {
    return counts(running.attempt(), gang);
  }

  static int[] counts(Attempt attempt, GangShape gang) {
    int[] counts = new int[gang.roles().size()];
    for (MemberShape role : gang.roles()) {
      for (Member member : attempt.members()) {
        counts[role.role()] += member.role().equals(role.name()) ? 1 : 0;
      }
    }
    return counts;
  }

  /**
   * Returns whether all members of the attempt run on the cluster part and flavors of this
   * assignment.
   */
  static boolean runsOn(Fleet fleet, Attempt attempt, GangShape gang, FlavorAssignment assignment) {
    return attempt.cluster().equals(assignment.cluster().cluster().id())
        && assignment.cluster().equals(fleet.home(attempt.members()))
        && attempt.members().stream()
            .allMatch(m ->
                gang.roles().stream()
                    .filter(role -> role.name().equals(m.role()))
                    .anyMatch(role -> assignment.flavor(role.role()).equals(m.flavor())));
  }
}
