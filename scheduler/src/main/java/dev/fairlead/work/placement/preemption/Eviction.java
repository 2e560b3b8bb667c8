package dev.fairlead.work.placement.preemption;

import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The victims, and the nodes on which the preempting job then starts.
 *
 * @param members in the order in which they were placed
 * @param victims at least one, or a reservation
 * @param moves victims with a new node assignment, empty if they wait like all other jobs
 * @param reservations reservations after a fault, of gangs that would be victims if they ran
 */
public record Eviction(
    FlavorAssignment assignment,
    List<NodeAllocation> members,
    List<Chosen> victims,
    List<Move> moves,
    List<Reservation> reservations) {
  /** A victim and the nodes on which it restarts. */
  public record Move(
      RunningAttempt running, FlavorAssignment assignment, List<NodeAllocation> members) {
    public Move {
      members = List.copyOf(members);
    }
  }

  /**
   * A live attempt, the members that it loses, and the right to evict them.
   *
   * @param going all of its members, or surplus members
   */
  public record Chosen(RunningAttempt running, EvictionRight right, List<Member> going) {
    public Chosen {
      going = List.copyOf(going);
    }

    public boolean whole() {
      return going.size() == running.attempt().members().size();
    }

    /** Combines parts of one attempt. */
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

  /** Returns the maximum time that any victim may take to leave. */
  public Duration grace() {
    return victims.stream()
        .map(victim -> victim.running().job().spec().preemption().stopsWithin())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }
}
