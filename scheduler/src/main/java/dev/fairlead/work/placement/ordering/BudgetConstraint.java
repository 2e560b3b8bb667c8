package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The remainder of each budget, minus the elements that this cycle starts or reserves capacity for.
 * Budgets by label block no job and are omitted.
 */
final class BudgetConstraint implements Constraint {
  private static final BigInteger HOUR = BigInteger.valueOf(Duration.ofHours(1).toMillis());
  private static final int MICRO_DIGITS = 6;

  private final List<BudgetState> states;
  private final List<@Nullable Answer> answers;
  private final Map<BudgetScope, List<Integer>> byScope = new LinkedHashMap<>();
  private final Map<BudgetScope, List<Integer>> ofJobs = new LinkedHashMap<>();
  private final StartCosts costs;
  private final long now;

  /**
   * @param weight weight of a millisecond that the job reserves, in the unit of the budget
   * @param lacking null if the budget cannot be read
   */
  private record Need(long weight, long end, BudgetBook.@Nullable Shortfall lacking) {
    boolean same(Need other) {
      return weight == other.weight && end == other.end;
    }
  }

  private record Answer(Need need, Blocker blocker) {}

  BudgetConstraint(List<BudgetState> states, StartCosts costs, Instant asOf) {
    this.costs = costs;
    this.states = new ArrayList<>(states);
    answers = new ArrayList<>(Collections.nCopies(states.size(), null));
    now = asOf.toEpochMilli();
    for (int i = 0; i < states.size(); i++) {
      BudgetScope scope = states.get(i).budget().scope();
      if (!scope.byLabel()) {
        byScope.computeIfAbsent(scope, _ -> new ArrayList<>()).add(i);
      }
    }
  }

  @Override
  public void takes(Job job, @Nullable EquivalenceClass as, QuotaNode queue) {
    long end = end(job, queue);
    for (int i : of(job)) {
      BudgetState state = states.get(i);
      long weight = costs.weight(state.budget().unit(), job, as, end);
      states.set(i, state.reserving(weight, now, end));
      answers.set(i, null);
    }
  }

  @Override
  public List<Supplier<Blocker>> refusals(Job job, @Nullable EquivalenceClass as, QuotaNode queue) {
    List<Integer> budgets = of(job);
    if (budgets.isEmpty() || costs.milli(job) == 0) {
      return List.of();
    }
    List<Supplier<Blocker>> refusals = new ArrayList<>(0);
    long end = end(job, queue);
    for (int i : budgets) {
      BudgetState state = states.get(i);
      boolean unreadable = state.budget().unreadable();
      long weight = costs.weight(state.budget().unit(), job, as, end);
      BudgetBook.Shortfall lacking = unreadable ? null : state.shortfall(weight, now, end);
      if (unreadable || lacking != null) {
        refusals.add(() -> why(i, new Need(weight, end, lacking)));
      }
    }
    return refusals;
  }

  /** Caches the text, because many jobs of one size wait for one budget. */
  private Blocker why(int i, Need need) {
    Answer last = answers.get(i);
    if (last != null && last.need.same(need)) {
      return last.blocker;
    }
    Blocker blocker = spent(states.get(i), need);
    answers.set(i, new Answer(need, blocker));
    return blocker;
  }

  /**
   * Returns the budgets that count the job, by id. The number of lookups does not depend on the
   * number of budgets.
   */
  private List<Integer> of(Job job) {
    if (byScope.isEmpty()) {
      return List.of();
    }
    return ofJobs.computeIfAbsent(
        new BudgetScope(job.tenant(), job.project(), job.queue(), job.user()),
        scope ->
            scope.covering().stream()
                .flatMap(each -> byScope.getOrDefault(each, List.of()).stream())
                .sorted()
                .toList());
  }

  private long end(Job job, QuotaNode queue) {
    QueueSettings settings = queue.queue();
    return now
        + Budget.reserved(
            job.spec().maxRuntime(), settings == null ? null : settings.defaultMaxRuntime());
  }

  /** Reports the numbers of the period that lacks most. */
  private Blocker spent(BudgetState state, Need need) {
    Budget budget = state.budget();
    Scope scope = new Scope(Scope.Kind.JOB, "");
    BudgetBook.Shortfall lacking = need.lacking();
    if (lacking == null) {
      return new Blocker(
          Reason.BUDGET_SPENT,
          scope,
          "budget " + budget.name() + " cannot be read, so none of its jobs starts",
          Collections.emptySortedMap(),
          "ask an administrator to repair the budget or update Fairlead");
    }
    BudgetUnit unit = budget.unit();
    BudgetUse use = state.use(lacking.period());
    long renews = budget.period().end(lacking.period());
    String text =
        ("budget %s: %s %s spent and %s reserved for running jobs of %s; the job reserves %s%s, %s"
                + " over the limit; the budget renews at %s")
            .formatted(
                budget.name(),
                unit.text(use.spent()),
                unit.name(),
                unit.text(use.reserved()),
                unit.text(budget.limit(lacking.period(), now)),
                unit.text(lacking.needed()),
                hourly(unit, need.weight()),
                unit.text(lacking.missing()),
                Instant.ofEpochMilli(renews));
    return new Blocker(
        Reason.BUDGET_SPENT, scope, text, numbers(state, lacking), action(budget, lacking));
  }

  /**
   * Returns the hourly cost on the most expensive capacity that the job may use, for a budget of
   * money.
   */
  private static String hourly(BudgetUnit unit, long weight) {
    return unit.money()
        ? ", at up to " + unit.text(BigInteger.valueOf(weight).multiply(HOUR)) + " an hour"
        : "";
  }

  private static String action(Budget budget, BudgetBook.Shortfall lacking) {
    String cheaper = budget.unit().money() ? " or cheaper capacity" : "";
    return lacking.needed().compareTo(budget.amount()) > 0
        ? ("the job reserves more than the budget of a whole period: set a shorter maxRuntime or"
                + " fewer GPUs%s, or ask for a larger budget")
            .formatted(cheaper)
        : "ask an owner of the tenant for a grant of %s %s, or set a shorter maxRuntime%s"
            .formatted(budget.unit().text(lacking.missing()), budget.unit().name(), cheaper);
  }

  private SortedMap<String, Long> numbers(BudgetState state, BudgetBook.Shortfall lacking) {
    BudgetUnit unit = state.budget().unit();
    BudgetUse use = state.use(lacking.period());
    String in = unit.money() ? "Micros" : "MilliGpuMillis";
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("spent" + in, number(unit, use.spent()));
    numbers.put("reserved" + in, number(unit, use.reserved()));
    numbers.put("limit" + in, number(unit, state.budget().limit(lacking.period(), now)));
    numbers.put("needed" + in, number(unit, lacking.needed()));
    numbers.put("missing" + in, number(unit, lacking.missing()));
    numbers.put("renewsAtEpochSeconds", state.budget().period().end(lacking.period()) / 1000);
    return numbers;
  }

  /** Returns the exact amount of GPU-hours, or millionths of the currency. */
  private static long number(BudgetUnit unit, BigInteger amount) {
    BigInteger number = unit.money() ? micros(unit.rounded(amount)) : amount;
    return number.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
  }

  private static BigInteger micros(BigDecimal units) {
    return units.movePointRight(MICRO_DIGITS).toBigIntegerExact();
  }
}
