package dev.fairlead.placement.preemption;

import dev.fairlead.job.EvictionRight;
import dev.fairlead.job.Member;
import dev.fairlead.job.Reservation;
import dev.fairlead.placement.ledger.NodeAllocation;
import dev.fairlead.placement.reservation.RunningAttempt;
import dev.fairlead.placement.routing.FlavorAssignment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Who goes, and where the job that they make room for starts then.
 *
 * @param members in the order in which they were placed
 * @param victims at least one, or a place
 * @param moves victims that have another place, empty where they wait for one as all others do
 * @param reservations kept after a fault for gangs that would have to go if they ran
 */
public record Eviction(
    FlavorAssignment assignment,
    List<NodeAllocation> members,
    List<Chosen> victims,
    List<Move> moves,
    List<Reservation> reservations) {
  /** A victim and where it starts again. */
  public record Move(
      RunningAttempt running, FlavorAssignment assignment, List<NodeAllocation> members) {
    public Move {
      members = List.copyOf(members);
    }
  }

  /**
   * A live attempt of which members are to go, and by which right.
   *
   * @param going all of its members, or those that it can do without
   */
  public record Chosen(RunningAttempt running, EvictionRight right, List<Member> going) {
    public Chosen {
      going = List.copyOf(going);
    }

    public boolean whole() {
      return going.size() == running.attempt().members().size();
    }

    /** Parts of one attempt. */
    Chosen and(Chosen other) {
      List<Member> both = new ArrayList<>(going);
      both.addAll(other.going);
      return new Chosen(running, right, both);
    }
  }

  public Eviction {
    members = List.copyOf(members);
    victims = List.copyOf(victims);
    moves = List.copyOf(moves);
    reservations = List.copyOf(reservations);
  }

  /** The longest time for which any of them may take to leave. */
  public Duration grace() {
    return victims.stream()
        .map(victim -> victim.running().job().spec().preemption().gracePeriod())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }
}
