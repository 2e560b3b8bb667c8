package dev.fairlead.placement.explain;

import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetState;
import dev.fairlead.budget.BudgetUse;
import dev.fairlead.budget.GpuHours;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Blocker.Scope;
import dev.fairlead.explanation.Reason;
import dev.fairlead.resources.Saturating;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a budget keeps a job back with. */
public final class BudgetBlockers {
  private BudgetBlockers() {}

  /**
   * The figures are those of the period that lacks most.
   *
   * @param milli thousandths of GPUs that the job reserves
   * @param missing of the budget, in thousandths of a GPU times milliseconds
   * @param from when the job would start, in milliseconds since 1970
   * @param to until when it is reserved
   */
  public static Blocker spent(BudgetState state, long milli, long missing, long from, long to) {
    Budget budget = state.budget();
    Scope scope = new Scope(Scope.Kind.JOB, "");
    if (budget.mode() == Budget.Mode.UNREADABLE) {
      return new Blocker(
          Reason.BUDGET_SPENT,
          scope,
          "budget " + budget.name() + " cannot be read, so nothing that it covers starts",
          Collections.emptySortedMap(),
          "an administrator repairs the budget or updates Fairlead");
    }
    long needed = 0;
    long period = budget.period().begin(from);
    for (Map.Entry<Long, Long> part : budget.period().split(from, to).entrySet()) {
      long need = Saturating.times(milli, part.getValue());
      long over = state.use(part.getKey()).charged() + need - budget.limit(part.getKey(), from);
      if (over == missing) {
        needed = need;
        period = part.getKey();
      }
    }
    return spent(state, scope, new Need(period, needed, missing, from));
  }

  private record Need(long period, long amount, long missing, long now) {}

  private static Blocker spent(BudgetState state, Scope scope, Need need) {
    Budget budget = state.budget();
    BudgetUse use = state.use(need.period());
    long limit = budget.limit(need.period(), need.now());
    long renews = budget.period().end(need.period());
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("spentMilliGpuMillis", use.spent());
    numbers.put("reservedMilliGpuMillis", use.reserved());
    numbers.put("limitMilliGpuMillis", limit);
    numbers.put("neededMilliGpuMillis", need.amount());
    numbers.put("missingMilliGpuMillis", need.missing());
    numbers.put("renewsAtEpochSeconds", renews / 1000);
    String text =
        "budget %s: %s GPU-hours spent and %s reserved for running jobs of %s; the job reserves %s, %s too many; the budget renews at %s"
            .formatted(
                budget.name(),
                GpuHours.text(use.spent()),
                GpuHours.text(use.reserved()),
                GpuHours.text(limit),
                GpuHours.text(need.amount()),
                GpuHours.text(need.missing()),
                Instant.ofEpochMilli(renews));
    String action =
        need.amount() > budget.amount()
            ? "the job reserves more than a whole period has: give it a shorter maxRuntime or fewer GPUs, or ask for a larger budget"
            : "ask an owner of the tenant for a grant of %s GPU-hours, or give the job a shorter maxRuntime"
                .formatted(GpuHours.text(need.missing()));
    return new Blocker(Reason.BUDGET_SPENT, scope, text, numbers, action);
  }
}
