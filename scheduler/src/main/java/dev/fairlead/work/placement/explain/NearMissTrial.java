package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.GangShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Tries changes of one waiting gang on the ledger, with quota and nodes, and records the changes
 * that let it start.
 */
final class NearMissTrial {
  private final Fleet fleet;
  private final Ledger ledger;
  private final WorkBudget work;
  private final ElementPlacer placer;
  private final QuotaNodeId queue;
  private final List<NearMiss> found = new ArrayList<>();

  NearMissTrial(
      Fleet fleet, Ledger ledger, WorkBudget work, ElementPlacer placer, QuotaNodeId queue) {
    this.fleet = fleet;
    this.ledger = ledger;
    this.work = work;
    this.placer = placer;
    this.queue = queue;
  }

  Fleet fleet() {
    return fleet;
  }

  List<NearMiss> found() {
    return List.copyOf(found);
  }

  /**
   * Returns the name of the cluster on which the gang starts. The result is empty if it does not
   * start or the work budget is spent.
   */
  Optional<String> startsOn(GangShape changed) {
    if (work.spent() || !Unsupported.of(changed).isEmpty()) {
      return Optional.empty();
    }
    int mark = ledger.mark();
    FlavorAssignment assignment =
        placer.start(queue, changed, FlavorAssignments.of(changed, fleet));
    ledger.undo(mark);
    return Optional.ofNullable(assignment).map(r -> r.cluster().name());
  }

  /** Records the change if the gang then starts, and returns whether it does. */
  boolean offer(String field, String from, String to, GangShape changed) {
    Optional<String> on = startsOn(changed);
    on.ifPresent(c -> found.add(new NearMiss(field, from, to, "starts now on " + c)));
    return on.isPresent();
  }

  /**
   * Records the largest number below {@code from} with which the gang starts, in steps. A smaller
   * number never makes a start less likely.
   */
  void offerLargest(String field, int from, int step, IntFunction<GangShape> with) {
    int low = 0;
    int high = (from - 1) / step;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (startsOn(with.apply(middle * step)).isPresent()) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (low > 0) {
      offer(field, Integer.toString(from), Integer.toString(low * step), with.apply(low * step));
    }
  }
}
