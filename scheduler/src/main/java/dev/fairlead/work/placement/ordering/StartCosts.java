package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetPlace;
import dev.fairlead.money.budget.BudgetPrices;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.spec.RoleSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cost of one millisecond of a start in the unit of a budget, before its nodes are known. It
 * uses the most expensive capacity that the job may use now and the highest price until its
 * reservation ends. It is never less than the amount that the start reserves.
 */
final class StartCosts {
  private final MostGpu most;
  private final Fleet fleet;
  private final BudgetPrices prices;
  private final long now;
  private final Map<Key, Long> known = new LinkedHashMap<>();
  private @Nullable PriceSpans spans;

  private record Key(BudgetUnit unit, EquivalenceClass of, long end) {}

  StartCosts(MostGpu most, Fleet fleet, PriceBook book, long nowMillis) {
    this.most = most;
    this.fleet = fleet;
    this.prices = new BudgetPrices(book);
    this.now = nowMillis;
  }

  /** Returns thousandths of GPUs of one element. */
  long milli(Job job) {
    return most.milli(job.spec());
  }

  /**
   * @param of the class of the job, null for a job that was not tried yet
   */
  long weight(BudgetUnit unit, Job job, @Nullable EquivalenceClass of, long end) {
    if (!unit.money()) {
      return milli(job);
    }
    return of == null
        ? dearest(unit, job, FlavorAssignments.of(GangShape.of(job), fleet), end)
        : known.computeIfAbsent(
            new Key(unit, of, end), key -> dearest(unit, job, of.assignments(), end));
  }

  private long dearest(BudgetUnit unit, Job job, List<FlavorAssignment> places, long end) {
    long dearest = 0;
    for (FlavorAssignment place : places) {
      dearest = Math.max(dearest, cost(unit, job, place, end));
    }
    return dearest;
  }

  /** Members that may join an elastic job cost as much as its most expensive role. */
  private long cost(BudgetUnit unit, Job job, FlavorAssignment place, long end) {
    long sum = 0;
    long each = 0;
    List<RoleSpec> roles = job.spec().roles();
    for (int role = 0; role < roles.size(); role++) {
      long micros = BudgetPrices.most(unit, spans(unit), place(place, place.flavor(role)), end);
      each = Math.max(each, micros);
      sum = Saturating.plus(sum, Saturating.times(micros, most.milli(roles.get(role))));
    }
    return job.spec().elastic() ? Saturating.times(each, most.milli(job.spec())) : sum;
  }

  private PriceSpans spans(BudgetUnit unit) {
    PriceSpans made = spans;
    if (made == null) {
      made = prices.spans(unit, now, now + Budget.LONGEST.toMillis());
      spans = made;
    }
    return made;
  }

  private static BudgetPlace place(FlavorAssignment place, Flavor flavor) {
    NodePool pool = place.cluster().pool();
    return new BudgetPlace(place.cluster().cluster().id(), pool == null ? "" : pool.name(), flavor);
  }
}
