package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.GpuShare;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.placement.Decision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whose place is kept while a batch of placements is written. The plan gives a place away in the
 * cycle in which its job starts elsewhere; when that start is dropped, the place is still the
 * job's, and whoever was to have it is dropped too.
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

  /** Whether a GPU of the place is kept for another job than those whose places it takes. */
  boolean keepsOut(Decision.Place place) {
    return keepsOut(place.members(), key(place), place.taken());
  }

  /** The same for members that join what runs. */
  boolean keepsOut(List<Member> members) {
    return keepsOut(members, null, List.of());
  }

  private boolean keepsOut(
      List<Member> members, Reservation.@Nullable Key own, List<Reservation> taken) {
    Map<Device, Integer> wanted = milli(members);
    Reservation its = own == null ? null : kept.get(own);
    boolean told = its != null && its.kind() == Reservation.Kind.PREEMPTION;
    // a gang may lose a node to a fault when it was just told to leave for this job
    return kept.values().stream()
        .filter(r -> r.ordered() && !r.key().equals(own) && !taken.contains(r))
        .filter(r -> r.kind() != Reservation.Kind.FAULT || !told)
        .anyMatch(r ->
            milli(r.members()).entrySet().stream()
                .anyMatch(gpu ->
                    wanted.containsKey(gpu.getKey())
                        && wanted.getOrDefault(gpu.getKey(), 0) + gpu.getValue() > WHOLE_GPU));
  }

  /** Whether the element has a place that a fault left it. */
  boolean afterFault(Reservation.Key key) {
    Reservation its = kept.get(key);
    return its != null && its.kind() == Reservation.Kind.FAULT;
  }

  /** The job starts: its own place and those that it takes are kept no longer. What was kept. */
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
