package dev.fairlead.placement.gang;

import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.admission.Charges;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.routing.Route;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.resources.GpuRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts an element: quota and nodes for all its members at once, on the first route that has both.
 */
public final class Starter {
  private final Admission admission;
  private final Ledger ledger;
  private final GangPlacer placer;

  public Starter(Admission admission, Ledger ledger, WorkBudget work) {
    this.admission = admission;
    this.ledger = ledger;
    placer = new GangPlacer(ledger, work);
  }

  /**
   * Takes nodes and quota. An elastic gang gets as many members as any route gives, its roles
   * growing in step.
   *
   * @return the route, or null when the element cannot start; then nothing changed
   */
  public @Nullable Route start(QuotaNodeId queue, GangShape gang, List<Route> routes) {
    int most = gang.elasticSteps();
    Route full = startWith(queue, gang, routes, gang.counts(most));
    if (full != null || most == 0) {
      return full;
    }
    if (!couldStart(queue, gang, routes, gang.counts(0))) {
      return null;
    }
    int low = 0;
    int high = most - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (couldStart(queue, gang, routes, gang.counts(middle))) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return startWith(queue, gang, routes, gang.counts(low));
  }

  private boolean couldStart(QuotaNodeId queue, GangShape gang, List<Route> routes, int[] counts) {
    int mark = ledger.mark();
    boolean could = startWith(queue, gang, routes, counts) != null;
    ledger.undo(mark);
    return could;
  }

  private @Nullable Route startWith(
      QuotaNodeId queue, GangShape gang, List<Route> routes, int[] counts) {
    for (Route route : routes) {
      if (startOn(queue, gang, route, counts)) {
        return route;
      }
    }
    return null;
  }

  private boolean startOn(QuotaNodeId queue, GangShape gang, Route route, int[] counts) {
    if (!admission.limited(queue)) {
      return placer.place(route, gang, counts);
    }
    Charges expected = Charges.expected(gang, route, counts);
    if (!admission.admits(queue, expected)) {
      return false;
    }
    int mark = ledger.mark();
    if (!placer.place(route, gang, counts)) {
      return false;
    }
    boolean exact = gang.roles().stream().noneMatch(r -> r.gpu().kind() == GpuRequest.Kind.MEMORY);
    admission.use(queue, exact ? expected : Charges.of(gang, ledger.since(mark), route), ledger);
    return true;
  }
}
