package dev.fairlead.placement.ordering;

import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetScope;
import dev.fairlead.budget.BudgetState;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Job;
import dev.fairlead.placement.explain.BudgetBlockers;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is left of each budget, less what this cycle starts or keeps a place for. */
final class BudgetCounts {
  private final List<BudgetState> states;
  private final List<@Nullable Answer> answers;
  private final Map<BudgetScope, List<Integer>> byScope = new LinkedHashMap<>();
  private final Map<BudgetScope, List<Integer>> ofJobs = new LinkedHashMap<>();
  private final MostGpu most;
  private final long now;

  private record Need(long milli, long end) {}

  private record Answer(Need need, Blocker blocker) {}

  BudgetCounts(List<BudgetState> states, MostGpu most, Instant asOf) {
    this.most = most;
    this.states = new ArrayList<>(states);
    answers = new ArrayList<>(Collections.nCopies(states.size(), null));
    now = asOf.toEpochMilli();
    for (int i = 0; i < states.size(); i++) {
      byScope.computeIfAbsent(states.get(i).budget().scope(), scope -> new ArrayList<>()).add(i);
    }
  }

  /** An element of the job starts. */
  void takes(Job job, QuotaNode queue) {
    for (int i : of(job)) {
      states.set(i, states.get(i).reserving(most.milli(job.spec()), now, end(job, queue)));
      answers.set(i, null);
    }
  }

  /** Whether a budget has too little for one more element of the job. */
  boolean refuse(Job job, QuotaNode queue) {
    long end = end(job, queue);
    for (int i : of(job)) {
      if (states.get(i).missing(most.milli(job.spec()), now, end) > 0) {
        return true;
      }
    }
    return false;
  }

  /** The budgets that have too little for one more element of the job. */
  List<Blocker> why(Job job, QuotaNode queue) {
    if (of(job).isEmpty()) {
      return List.of();
    }
    List<Blocker> blockers = new ArrayList<>();
    Need need = new Need(most.milli(job.spec()), end(job, queue));
    for (int i : of(job)) {
      Blocker blocker = why(i, need);
      if (blocker != null) {
        blockers.add(blocker);
      }
    }
    return blockers;
  }

  /** Many jobs of one size wait for one budget: the text is made once. */
  private @Nullable Blocker why(int i, Need need) {
    Answer last = answers.get(i);
    if (last != null && last.need.equals(need)) {
      return last.blocker;
    }
    BudgetState state = states.get(i);
    long missing = state.missing(need.milli, now, need.end);
    if (missing == 0) {
      return null;
    }
    Blocker blocker = BudgetBlockers.spent(state, need.milli, missing, now, need.end);
    answers.set(i, new Answer(need, blocker));
    return blocker;
  }

  /** Budgets that count the job, by id: as many look-ups however many budgets there are. */
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
