package dev.fairlead.work.placement.gang;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts an element by taking quota and nodes for all its members, on the first assignment that has
 * both.
 */
public final class ElementPlacer {
  private final Admission admission;
  private final Ledger ledger;
  private final GangPlacer placer;

  public ElementPlacer(Admission admission, Ledger ledger, WorkBudget work) {
    this.admission = admission;
    this.ledger = ledger;
    placer = new GangPlacer(ledger, work);
  }

  /** An element to start, with its assignments in the order in which they are tried. */
  public record Start(QuotaNodeId queue, GangShape gang, List<FlavorAssignment> assignments) {}

  /** Starts like {@link #start(Start, Supplier)}, but leaves no capacity to other jobs. */
  public @Nullable FlavorAssignment start(
      QuotaNodeId queue, GangShape gang, List<FlavorAssignment> assignments) {
    return start(new Start(queue, gang, assignments), List::of);
  }

  /**
   * Starts the element and takes its nodes and quota. An elastic gang gets as many members as any
   * assignment allows. Its roles grow in equal steps, and the next jobs still get their minimum
   * size.
   *
   * @param next the next jobs, requested only for an elastic gang
   * @return the assignment, or null without a change if the element cannot start
   */
  public @Nullable FlavorAssignment start(Start wanted, Supplier<List<Start>> next) {
    int most = wanted.gang().elasticSteps();
    if (most == 0) {
      return startWith(wanted, 0);
    }
    int mark = ledger.mark();
    if (startWith(wanted, 0) == null) {
      return null;
    }
    List<Start> beside = next.get().stream().filter(n -> startWith(n, 0) != null).toList();
    ledger.undo(mark);
    int low = couldStart(wanted, most, beside) ? most : 0;
    int high = most - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (couldStart(wanted, middle, beside)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return startWith(wanted, low);
  }

  private boolean couldStart(Start wanted, int step, List<Start> beside) {
    int mark = ledger.mark();
    boolean could =
        startWith(wanted, step) != null
            && beside.stream().allMatch(other -> startWith(other, 0) != null);
    ledger.undo(mark);
    return could;
  }

  private @Nullable FlavorAssignment startWith(Start wanted, int step) {
    int[] counts = wanted.gang().counts(step);
    for (FlavorAssignment assignment : wanted.assignments()) {
      if (startOn(wanted.queue(), wanted.gang(), assignment, counts)) {
        return assignment;
      }
    }
    return null;
  }

  private boolean startOn(
      QuotaNodeId queue, GangShape gang, FlavorAssignment assignment, int[] counts) {
    if (!admission.limited(queue)) {
      return placer.place(assignment, gang, counts);
    }
    Charges expected = Charges.expected(gang, assignment, counts);
    if (!admission.admits(queue, expected)) {
      return false;
    }
    int mark = ledger.mark();
    if (!placer.place(assignment, gang, counts)) {
      return false;
    }
    boolean exact = gang.roles().stream().noneMatch(r -> r.gpu().kind() == GpuRequest.Kind.MEMORY);
    admission.use(
        queue, exact ? expected : Charges.of(gang, ledger.since(mark), assignment), ledger);
    return true;
  }
}
