package dev.fairlead.placement.preemption;

import dev.fairlead.job.Member;
import dev.fairlead.placement.gang.GangPlacer;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.NodeAllocation;
import dev.fairlead.placement.ledger.NodeCapacity;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.routing.FlavorAssignment;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Whether the fewest members of a gang find nodes on one route once some running jobs are gone.
 * Jobs go and come back one by one; where the free places of a role are too few in sum nothing is
 * tried.
 */
final class FitAfterPreemption implements Predicate<List<RunningJob>> {
  private final Ledger ledger;
  private final WorkBudget work;
  private final GangPlacer placer;
  private final Fleet fleet;
  private final FlavorAssignment route;
  private final GangShape gang;
  private final Map<String, PreemptionUnit> leavers;
  private final SortedMap<String, Undo> gone = new TreeMap<>();
  private final List<SortedSet<NodeCapacity>> rooms;
  private final long[] free;

  /**
   * Begins with everybody in place.
   *
   * @param leavers by key of their running job
   */
  FitAfterPreemption(
      Ledger ledger,
      WorkBudget work,
      Fleet fleet,
      FlavorAssignment route,
      GangShape gang,
      Map<String, PreemptionUnit> leavers) {
    this.ledger = ledger;
    this.work = work;
    this.fleet = fleet;
    this.route = route;
    this.gang = gang;
    this.leavers = leavers;
    placer = new GangPlacer(ledger, work);
    rooms = gang.roles().stream().map(this::admitting).toList();
    free = new long[rooms.size()];
    for (int role = 0; role < free.length; role++) {
      for (NodeCapacity room : rooms.get(role)) {
        free[role] += room.fits(gang.roles().get(role));
      }
    }
  }

  private SortedSet<NodeCapacity> admitting(MemberShape role) {
    SortedSet<NodeCapacity> admitting = new TreeSet<>(Comparator.comparingInt(NodeCapacity::rank));
    admitting.addAll(route.cluster().admitting(role, route.models().get(role.role())));
    work.spend(route.cluster().rooms().size());
    return admitting;
  }

  @Override
  public boolean test(List<RunningJob> wanted) {
    SortedSet<String> keys = new TreeSet<>();
    wanted.forEach(job -> keys.add(job.key()));
    for (String back : List.copyOf(gone.keySet())) {
      Undo comeBack = keys.contains(back) ? null : gone.remove(back);
      if (comeBack != null) {
        moved(back, comeBack);
      }
    }
    for (String key : keys) {
      PreemptionUnit leaver = leavers.get(key);
      if (leaver != null && !gone.containsKey(key)) {
        moved(key, () -> gone.put(key, leaver.vacate()));
      }
    }
    return enough() && places();
  }

  /** Everybody is in place again. */
  void end() {
    test(List.of());
  }

  /** Where the members go now; the ledger is left as it was. */
  List<NodeAllocation> places(int[] counts) {
    int mark = ledger.mark();
    placer.place(route, gang, counts);
    List<NodeAllocation> taken = ledger.since(mark);
    ledger.undo(mark);
    return taken;
  }

  private void moved(String key, Undo change) {
    PreemptionUnit leaver = leavers.get(key);
    SortedSet<NodeCapacity> touched = new TreeSet<>(Comparator.comparingInt(NodeCapacity::rank));
    if (leaver != null && leaver.cluster().equals(route.cluster().cluster().id())) {
      for (Member member : leaver.members()) {
        NodeCapacity room = fleet.room(member.node());
        if (room != null && route.cluster().has(room)) {
          touched.add(room);
        }
      }
    }
    count(touched, -1);
    change.run();
    count(touched, 1);
  }

  private void count(SortedSet<NodeCapacity> touched, int sign) {
    for (int role = 0; role < free.length; role++) {
      for (NodeCapacity room : touched) {
        if (rooms.get(role).contains(room)) {
          free[role] += (long) sign * room.fits(gang.roles().get(role));
        }
      }
    }
    work.spend(touched.size());
  }

  private boolean enough() {
    int[] fewest = gang.counts(0);
    for (int role = 0; role < free.length; role++) {
      if (free[role] < fewest[role]) {
        return false;
      }
    }
    return true;
  }

  private boolean places() {
    if (work.spent()) {
      return false;
    }
    return !places(gang.counts(0)).isEmpty();
  }
}
