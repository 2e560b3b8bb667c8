package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.blockers.BudgetBlockers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The remainder of each budget, minus the elements that this cycle starts or reserves capacity for.
 * Budgets by label block no job and are omitted.
 */
final class BudgetCounts {
  private final List<BudgetState> states;
  private final List<@Nullable Answer> answers;
  private final Map<BudgetScope, List<Integer>> byScope = new LinkedHashMap<>();
  private final Map<BudgetScope, List<Integer>> ofJobs = new LinkedHashMap<>();
  private final StartCosts costs;
  private final long now;

  private record Need(long weight, long end) {}

  private record Answer(Need need, Blocker blocker) {}

  BudgetCounts(List<BudgetState> states, StartCosts costs, Instant asOf) {
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

  /** Charges an element of the job that starts. */
  void takes(PendingJobEntry waiting, QuotaNode queue) {
    takes(waiting.job(), waiting.equivalenceClass(), queue);
  }

  /** Charges an element of a job that was not tried yet. */
  void takes(Job job, QuotaNode queue) {
    takes(job, null, queue);
  }

  private void takes(Job job, @Nullable EquivalenceClass as, QuotaNode queue) {
    long end = end(job, queue);
    for (int i : of(job)) {
      BudgetState state = states.get(i);
      long weight = costs.weight(state.budget().unit(), job, as, end);
      states.set(i, state.reserving(weight, now, end));
      answers.set(i, null);
    }
  }

  /** Returns whether a budget is too small for one more element of the job. */
  boolean refuse(PendingJobEntry waiting, QuotaNode queue) {
    return of(waiting.job()).stream().anyMatch(i -> need(i, waiting, queue) != null);
  }

  /** Returns the budgets that are too small for one more element of the job. */
  List<Blocker> why(PendingJobEntry waiting, QuotaNode queue) {
    List<Blocker> blockers = new ArrayList<>();
    for (int i : of(waiting.job())) {
      Need need = need(i, waiting, queue);
      if (need != null) {
        blockers.add(why(i, need));
      }
    }
    return blockers;
  }

  /** Returns the need of one more element of the job if the budget is too small, else null. */
  private @Nullable Need need(int i, PendingJobEntry waiting, QuotaNode queue) {
    if (costs.milli(waiting.job()) == 0) {
      return null;
    }
    BudgetState state = states.get(i);
    Budget budget = state.budget();
    long end = end(waiting.job(), queue);
    long weight = costs.weight(budget.unit(), waiting.job(), waiting.equivalenceClass(), end);
    return budget.unreadable() || state.missing(weight, now, end).signum() > 0
        ? new Need(weight, end)
        : null;
  }

  /** Caches the text, because many jobs of one size wait for one budget. */
  private Blocker why(int i, Need need) {
    Answer last = answers.get(i);
    if (last != null && last.need.equals(need)) {
      return last.blocker;
    }
    Blocker blocker = BudgetBlockers.spent(states.get(i), need.weight, now, need.end);
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
}
