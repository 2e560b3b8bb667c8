package dev.fairlead.work.placement.consolidation;

import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.gang.GangPlacer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.preemption.Eviction;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the jobs that have to move so that the minimum size of a gang fits on one assignment. It
 * clears nodes one after another, cheapest first, until the gang and all moved jobs fit. Then
 * unnecessary moves are removed.
 */
final class Repacking {
  private static final Comparator<NodeCapacity> BY_RANK =
      Comparator.comparingInt(NodeCapacity::rank);

  private final Fleet fleet;
  private final Ledger ledger;
  private final WorkBudget work;
  private final GangPlacer placer;
  private final FlavorAssignment assignment;
  private final GangShape gang;
  private final List<Movable> movable;

  Repacking(
      Fleet fleet,
      Ledger ledger,
      WorkBudget work,
      FlavorAssignment assignment,
      GangShape gang,
      List<Movable> movable) {
    this.fleet = fleet;
    this.ledger = ledger;
    this.work = work;
    this.assignment = assignment;
    this.gang = gang;
    this.movable = List.copyOf(movable);
    placer = new GangPlacer(ledger, work);
  }

  /** A node on which more of the gang fits after these jobs have moved. */
  private record Step(NodeCapacity capacity, List<Movable> there) {
    static final Comparator<Step> CHEAPEST_FIRST =
        Comparator.comparingDouble((Step s) -> Repacking.cost(s.there))
            .thenComparing(Step::capacity, BY_RANK);
  }

  /**
   * Returns null if no such moves are found.
   *
   * @param most maximum number of jobs that move, at least 1
   * @param worth maximum total cost of the moves
   */
  @Nullable Eviction fewest(int most, double worth) {
    for (List<Step> steps : areas()) {
      Set<Movable> moved = new LinkedHashSet<>();
      for (Step step : steps) {
        Set<Movable> more = new LinkedHashSet<>(moved);
        more.addAll(step.there);
        if (more.size() > moved.size() && more.size() <= most && !work.spent()) {
          moved = more;
          Eviction found = moving(moved);
          if (found != null) {
            return fewest(found, moved, worth);
          }
        }
      }
    }
    return null;
  }

  private @Nullable Eviction fewest(Eviction all, Set<Movable> moved, double worth) {
    Eviction best = all;
    List<Movable> needed = new ArrayList<>(moved);
    needed.sort(Movable.DEAREST_FIRST);
    boolean fewer = true;
    while (fewer) {
      fewer = false;
      for (Movable each : List.copyOf(needed)) {
        List<Movable> others = needed.stream().filter(m -> !m.equals(each)).toList();
        Eviction found = others.isEmpty() ? null : moving(others, true, best);
        found = others.isEmpty() || found != null ? found : moving(others);
        if (found != null) {
          best = found;
          needed = others;
          fewer = true;
        }
      }
    }
    return cost(needed) <= worth ? best : null;
  }

  private static double cost(Collection<Movable> moved) {
    return moved.stream().mapToDouble(Movable::cost).sum();
  }

  /** Returns the steps for each domain that can hold the whole gang, or for the whole cluster. */
  private Collection<List<Step>> areas() {
    TopologySpec topology = gang.placement().topology();
    int level =
        topology != null && topology.mode() == TopologySpec.Mode.REQUIRED
            ? assignment.cluster().levels().position(topology.level())
            : -1;
    SortedMap<Integer, List<Step>> areas = new TreeMap<>();
    for (Step step : steps()) {
      int area = level < 0 ? 0 : step.capacity.domain(level);
      areas.computeIfAbsent(area, a -> new ArrayList<>()).add(step);
    }
    return areas.values();
  }

  private List<Step> steps() {
    SortedMap<NodeCapacity, List<Movable>> byCapacity = new TreeMap<>(BY_RANK);
    for (Movable each : movable) {
      SortedSet<NodeCapacity> capacities = new TreeSet<>(BY_RANK);
      for (Member member : each.running().attempt().members()) {
        NodeCapacity capacity = fleet.capacity(member.node());
        if (capacity != null && assignment.cluster().has(capacity)) {
          capacities.add(capacity);
        }
      }
      capacities.forEach(
          capacity -> byCapacity.computeIfAbsent(capacity, r -> new ArrayList<>()).add(each));
    }
    List<Step> steps = new ArrayList<>();
    for (MemberShape role : gang.roles()) {
      for (NodeCapacity capacity :
          assignment.cluster().admitting(role, assignment.models().get(role.role()))) {
        List<Movable> there = byCapacity.get(capacity);
        if (there != null && helps(role, capacity, there)) {
          steps.add(new Step(capacity, there));
          byCapacity.remove(capacity);
        }
      }
      work.spend(assignment.cluster().capacities().size());
    }
    steps.sort(Step.CHEAPEST_FIRST);
    return steps;
  }

  private boolean helps(MemberShape role, NodeCapacity capacity, List<Movable> there) {
    int before = capacity.fits(role);
    Undo back = vacate(there);
    boolean helps = capacity.fits(role) > before;
    back.run();
    return helps;
  }

  private static Undo vacate(Collection<Movable> moved) {
    List<Undo> gone = new ArrayList<>();
    moved.forEach(m -> gone.add(m.running().vacate(m.running().attempt().members())));
    return () -> gone.reversed().forEach(Undo::run);
  }

  /**
   * Places the gang on the cleared nodes and each moved job on other nodes. Returns null if no
   * order of placement works.
   */
  private @Nullable Eviction moving(Collection<Movable> moved) {
    Eviction found = moving(moved, true, null);
    return found == null ? moving(moved, false, null) : found;
  }

  /**
   * Tries one order of placement.
   *
   * @param gangFirst whether the gang is placed before the moved jobs
   * @param like plan with the nodes to reuse, null = any nodes that fit
   */
  private @Nullable Eviction moving(
      Collection<Movable> moved, boolean gangFirst, @Nullable Eviction like) {
    Undo back = vacate(moved);
    int mark = ledger.mark();
    try {
      List<NodeAllocation> members = gangFirst ? gang(like) : List.of();
      boolean fits = !gangFirst || !members.isEmpty();
      List<Eviction.Move> moves = new ArrayList<>();
      for (Movable each : moved.stream().sorted(Movable.LARGEST_FIRST).toList()) {
        Eviction.Move move = fits ? move(each, like) : null;
        if (move == null) {
          return null;
        }
        moves.add(move);
      }
      members = gangFirst ? members : gang(like);
      return members.isEmpty()
          ? null
          : new Eviction(
              assignment,
              members,
              moves.stream().map(Repacking::leaves).toList(),
              moves,
              List.of());
    } finally {
      ledger.undo(mark);
      back.run();
    }
  }

  /** Returns an empty list if the gang does not fit. */
  private List<NodeAllocation> gang(@Nullable Eviction like) {
    int mark = ledger.mark();
    boolean fits =
        like == null ? placer.place(assignment, gang, gang.counts(0)) : again(like.members());
    return fits ? ledger.since(mark) : List.of();
  }

  /** Returns null if the job does not fit, or if its quota charges would change. */
  private Eviction.@Nullable Move move(Movable each, @Nullable Eviction like) {
    int mark = ledger.mark();
    boolean fits =
        like == null
            ? placer.place(each.assignment(), each.gang(), each.counts())
            : like.moves().stream()
                .anyMatch(m -> m.running().equals(each.running()) && again(m.members()));
    List<NodeAllocation> place = ledger.since(mark);
    return fits
            && Charges.of(each.gang(), place, each.assignment())
                .cells()
                .equals(each.running().charges())
        ? new Eviction.Move(each.running(), each.assignment(), place)
        : null;
  }

  private boolean again(List<NodeAllocation> members) {
    int mark = ledger.mark();
    for (NodeAllocation member : members) {
      if (!member.capacity().takes(member.shape())) {
        return false;
      }
      ledger.take(member.capacity(), member.shape(), 1);
    }
    ledger.settle(mark);
    return true;
  }

  private static Eviction.Chosen leaves(Eviction.Move move) {
    return new Eviction.Chosen(
        move.running(), EvictionRight.MOVED, move.running().attempt().members());
  }
}
