package dev.fairlead.work.placement.preemption;

import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.gang.GangPlacer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks whether the minimum number of members of a gang finds nodes on one assignment after some
 * running jobs have left. Changes of the jobs are applied one by one when a result is requested. If
 * a role has too little free capacity in total, no placement is tried.
 */
final class FitAfterPreemption implements FreedCapacity {
  private final Ledger ledger;
  private final WorkBudget work;
  private final GangPlacer placer;
  private final Fleet fleet;
  private final FlavorAssignment assignment;
  private final GangShape gang;
  private final Map<String, PreemptionUnit> units;
  private final SortedMap<String, Undo> gone = new TreeMap<>();
  private final SortedMap<String, Boolean> ordered = new TreeMap<>();
  private final List<SortedSet<NodeCapacity>> capacities;
  private final long[] free;
  private boolean found;

  /**
   * Starts with every running job on its nodes.
   *
   * @param units by key of their running job
   */
  FitAfterPreemption(
      Ledger ledger,
      WorkBudget work,
      Fleet fleet,
      FlavorAssignment assignment,
      GangShape gang,
      Map<String, PreemptionUnit> units) {
    this.ledger = ledger;
    this.work = work;
    this.fleet = fleet;
    this.assignment = assignment;
    this.gang = gang;
    this.units = units;
    placer = new GangPlacer(ledger, work);
    capacities = gang.roles().stream().map(this::admitting).toList();
    free = new long[capacities.size()];
    for (int role = 0; role < free.length; role++) {
      for (NodeCapacity capacity : capacities.get(role)) {
        free[role] += capacity.fits(gang.roles().get(role));
      }
    }
  }

  private SortedSet<NodeCapacity> admitting(MemberShape role) {
    SortedSet<NodeCapacity> admitting = new TreeSet<>(Comparator.comparingInt(NodeCapacity::rank));
    admitting.addAll(assignment.cluster().admitting(role, assignment.models().get(role.role())));
    work.spend(assignment.cluster().capacities().size());
    return admitting;
  }

  @Override
  public void gone(RunningJob job) {
    ordered.put(job.key(), true);
  }

  @Override
  public void back(RunningJob job) {
    ordered.put(job.key(), false);
  }

  @Override
  public boolean fits() {
    move();
    return enough() && placed();
  }

  /** Returns whether the members fit after exactly these jobs have left. */
  boolean fitsWithout(List<RunningJob> jobs) {
    allBack();
    jobs.forEach(this::gone);
    return fits();
  }

  /** Returns every running job to its nodes. */
  void end() {
    allBack();
    move();
    found = false;
  }

  private void allBack() {
    ordered.clear();
    gone.keySet().forEach(key -> ordered.put(key, false));
  }

  /** Applies returning jobs first, because a whole job replaces its parts that had left. */
  private void move() {
    ordered.forEach((key, away) -> {
      Undo comeBack = away ? null : gone.remove(key);
      if (comeBack != null) {
        moved(key, comeBack);
      }
    });
    ordered.forEach((key, away) -> {
      PreemptionUnit unit = units.get(key);
      if (away && unit != null && !gone.containsKey(key)) {
        moved(key, () -> gone.put(key, unit.vacate()));
      }
    });
    ordered.clear();
  }

  /** Returns the current node assignment of the members. The ledger is restored. */
  List<NodeAllocation> placement(int[] counts) {
    int mark = ledger.mark();
    placer.place(assignment, gang, counts);
    List<NodeAllocation> taken = ledger.since(mark);
    ledger.undo(mark);
    return taken;
  }

  private void moved(String key, Undo change) {
    PreemptionUnit unit = units.get(key);
    SortedSet<NodeCapacity> touched = new TreeSet<>(Comparator.comparingInt(NodeCapacity::rank));
    if (unit != null && unit.cluster().equals(assignment.cluster().cluster().id())) {
      for (Member member : unit.members()) {
        NodeCapacity capacity = fleet.capacity(member.node());
        if (capacity != null && assignment.cluster().has(capacity)) {
          touched.add(capacity);
        }
      }
    }
    count(touched, -1);
    change.run();
    count(touched, 1);
  }

  private void count(SortedSet<NodeCapacity> touched, int sign) {
    for (int role = 0; role < free.length; role++) {
      for (NodeCapacity capacity : touched) {
        if (capacities.get(role).contains(capacity)) {
          free[role] += (long) sign * capacity.fits(gang.roles().get(role));
        }
      }
    }
    work.spend(touched.size());
  }

  /**
   * Beyond a single node, a member that leaves opens or closes other nodes, which are not counted.
   */
  private boolean enough() {
    if (!gang.neighbours().ofNode()) {
      return true;
    }
    int[] fewest = gang.counts(0);
    for (int role = 0; role < free.length; role++) {
      if (free[role] < fewest[role]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the members fit. Once a sufficient set of victims was found, its reduction
   * ignores the work budget.
   */
  private boolean placed() {
    if (work.spent() && !found) {
      return false;
    }
    boolean placed = !placement(gang.counts(0)).isEmpty();
    found |= placed;
    return placed;
  }
}
