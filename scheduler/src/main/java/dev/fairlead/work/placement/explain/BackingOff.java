package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.backoff.BackOffs;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks whether temporarily avoided nodes are the only obstacle, and how long they are avoided.
 */
final class BackingOff {
  private final Fleet fleet;
  private final Ledger ledger;
  private final WorkBudget work;
  private final ElementPlacer placer;
  private final Instant asOf;

  BackingOff(Fleet fleet, Ledger ledger, WorkBudget work, ElementPlacer placer, Instant asOf) {
    this.fleet = fleet;
    this.ledger = ledger;
    this.work = work;
    this.placer = placer;
    this.asOf = asOf;
  }

  /**
   * Returns a blocker if the job would start but for the back-off of the avoided nodes. Also
   * returns empty if the work budget is spent.
   */
  Optional<Blocker> of(JobShape shape) {
    SortedSet<Instant> ends = new TreeSet<>(fleet.backOffs().everybody().values());
    ends.addAll(shape.gang().backsOff().values());
    if (ends.isEmpty() || work.spent() || !starts(shape, ends.last()) || starts(shape, asOf)) {
      return Optional.empty();
    }
    List<Instant> inOrder = List.copyOf(ends);
    int low = 0;
    int high = inOrder.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (starts(shape, inOrder.get(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return Optional.of(blocker(shape.gang(), inOrder.get(low)));
  }

  /**
   * Returns whether the gang would fit at a later time. A gang that avoids fewer nodes never fits
   * worse.
   */
  private boolean starts(JobShape shape, Instant then) {
    SortedMap<NodeId, Instant> own = new TreeMap<>(shape.gang().backsOff());
    own.values().removeIf(until -> !until.isAfter(then));
    GangShape gang = shape.gang().avoiding(own);
    Undo present = fleet.forgive(then);
    int mark = ledger.mark();
    boolean starts = placer.start(shape.queue(), gang, FlavorAssignments.of(gang, fleet)) != null;
    ledger.undo(mark);
    present.run();
    return starts;
  }

  private Blocker blocker(GangShape gang, Instant until) {
    BackOffs backOffs = fleet.backOffs();
    MemberShape role = Verdicts.demanding(gang);
    long nodes = 0;
    long failures = 0;
    for (ClusterCapacity cluster : fleet.clusters()) {
      boolean may = FlavorAssignments.allows(gang, cluster);
      for (NodeCapacity capacity : cluster.capacities()) {
        if (may
            && capacity.open()
            && capacity.shortOf(NodeCapacity.BACK_OFF, role)
            && capacity.capacity(role) > 0
            && Filters.admit(cluster.cluster(), capacity.node(), role)) {
          nodes++;
          failures += backOffs.failures(capacity.node().id());
        }
      }
    }
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("nodes", nodes);
    numbers.put("failures", failures);
    numbers.put("seconds", Duration.between(asOf, until).plusNanos(999_999_999).toSeconds());
    String text =
        "would start, but %d %s that could take it %s avoided after %d failed %s; tried there from %s on"
            .formatted(
                nodes,
                nodes == 1 ? "node" : "nodes",
                nodes == 1 ? "is" : "are",
                failures,
                failures == 1 ? "attempt" : "attempts",
                until);
    return new Blocker(Reason.BACKING_OFF, Blockers.FLEET, text, numbers, null);
  }
}
