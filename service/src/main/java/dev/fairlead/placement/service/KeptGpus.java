package dev.fairlead.placement.service;

import dev.fairlead.cluster.NodeId;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import dev.fairlead.job.Reservation;
import dev.fairlead.placement.Decision;
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
final class KeptGpus {
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

  KeptGpus(List<Reservation> stored) {
    stored.forEach(r -> kept.put(r.key(), r));
  }

  /** Whether others were told to leave a GPU of the place for another job. */
  boolean keepsOut(Decision.Place place) {
    return keepsOut(place.members(), key(place));
  }

  /** The same for members of a job that has no place kept; {@code own} is null then. */
  boolean keepsOut(List<Member> members, Reservation.@Nullable Key own) {
    Map<Device, Integer> wanted = milli(members);
    return kept.values().stream()
        .filter(r -> r.kind() == Reservation.Kind.PREEMPTION && !r.key().equals(own))
        .anyMatch(r ->
            milli(r.members()).entrySet().stream()
                .anyMatch(gpu ->
                    wanted.containsKey(gpu.getKey())
                        && wanted.getOrDefault(gpu.getKey(), 0) + gpu.getValue() > WHOLE_GPU));
  }

  /** The job starts: nothing is kept for it any longer. True when something was. */
  boolean serve(Decision.Place place) {
    return kept.remove(key(place)) != null;
  }

  static Reservation.Key key(Decision.Place place) {
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
