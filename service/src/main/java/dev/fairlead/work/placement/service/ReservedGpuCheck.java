package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.decision.Decision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reservations during the write of a batch of placements. When a job with reserved nodes starts
 * elsewhere, the plan of that cycle gives these nodes to another job. If that start is dropped, the
 * reservation remains, and the placement of the other job is dropped too.
 */
final class ReservedGpuCheck {
  private static final int WHOLE_GPU = 1000;
  private final SortedMap<Reservation.Key, Reservation> kept = new TreeMap<>();

  /** A GPU of the fleet. */
  private record Device(NodeId node, int index) implements Comparable<Device> {
    private static final Comparator<Device> ORDER =
        Comparator.comparing(Device::node).thenComparingInt(Device::index);

    @Override
    public int compareTo(Device other) {
      return ORDER.compare(this, other);
    }
  }

  ReservedGpuCheck(List<Reservation> stored) {
    stored.forEach(r -> kept.put(r.key(), r));
  }

  /**
   * Returns whether a GPU of the placement is reserved for another job, and this job does not take
   * over the reservation.
   */
  boolean keepsOut(Decision.Place place) {
    return keepsOut(place.members(), key(place), place.taken());
  }

  /** Returns whether a GPU of joining members is reserved for another job. */
  boolean keepsOut(List<Member> members) {
    return keepsOut(members, null, List.of());
  }

  private boolean keepsOut(
      List<Member> members, Reservation.@Nullable Key own, List<Reservation> taken) {
    Map<Device, Integer> wanted = milli(members);
    Reservation its = own == null ? null : kept.get(own);
    boolean told = its != null && its.kind() == Reservation.Kind.PREEMPTION;
    /* A gang may lose a node to a fault after it was ordered to leave for this job. */
    return kept.values().stream()
        .filter(r -> r.ordered() && !r.key().equals(own) && !taken.contains(r))
        .filter(r -> r.kind() != Reservation.Kind.FAULT || !told)
        .anyMatch(r ->
            milli(r.members()).entrySet().stream()
                .anyMatch(gpu ->
                    wanted.containsKey(gpu.getKey())
                        && wanted.getOrDefault(gpu.getKey(), 0) + gpu.getValue() > WHOLE_GPU));
  }

  /** Returns whether the element has a reservation after a fault. */
  boolean afterFault(Reservation.Key key) {
    Reservation its = kept.get(key);
    return its != null && its.kind() == Reservation.Kind.FAULT;
  }

  /** Ends and returns the reservation of a starting job and the reservations that it takes over. */
  List<Reservation> serve(Decision.Place place) {
    List<Reservation> ended = new ArrayList<>();
    for (Reservation taken : place.taken()) {
      if (kept.remove(taken.key(), taken)) {
        ended.add(taken);
      }
    }
    Reservation own = kept.remove(key(place));
    if (own != null) {
      ended.add(own);
    }
    return ended;
  }

  private static Reservation.Key key(Decision.Place place) {
    return new Reservation.Key(place.job(), place.element());
  }

  private static Map<Device, Integer> milli(List<Member> members) {
    Map<Device, Integer> milli = new TreeMap<>();
    for (Member member : members) {
      for (GpuShare share : member.gpus()) {
        milli.merge(new Device(member.node(), share.index()), share.milli(), Integer::sum);
      }
    }
    return milli;
  }
}
