package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Reserves time of budgets for attempts and settles it by the intervals of use of ended attempts.
 * It runs after the ledger of GPUs, and its locks are the last.
 */
@Component
class BudgetLedger {
  private final BudgetStore budgets;
  private final QuotaStore quotas;

  BudgetLedger(BudgetStore budgets, QuotaStore quotas) {
    this.budgets = budgets;
    this.quotas = quotas;
  }

  void apply(List<Transition> transitions) {
    List<Transition> moving =
        transitions.stream().filter(t -> t.holding() != AllocationChange.KEEP).toList();
    if (moving.isEmpty()) {
      return;
    }
    BudgetBook book = lock(moving);
    if (book.states().isEmpty()) {
      return;
    }
    Map<QuotaNodeId, Optional<Duration>> runtimes = new HashMap<>();
    List<BudgetBook.Used> used = budgets.used(attempts(moving, AllocationChange.RELEASE));
    for (Transition transition : moving) {
      Attempt attempt = Holdings.attempt(transition);
      switch (transition.holding()) {
        case TAKE -> reserve(book, transition.job(), attempt, runtimes);
        case JOIN -> book.grow(attempt.id().value(), milli(transition.job(), attempt));
        case RELEASE -> book.settle(attempt.id().value(), used);
        case LEAVE, KEEP -> {}
      }
    }
    budgets.write(book);
  }

  private BudgetBook lock(List<Transition> moving) {
    Set<TenantId> tenants = new TreeSet<>();
    moving.forEach(t -> tenants.add(t.job().tenant()));
    Set<BudgetScope> starting = new HashSet<>();
    moving.stream()
        .filter(t -> t.holding() == AllocationChange.TAKE)
        .forEach(t -> starting.add(scope(t.job())));
    Set<UUID> attempts = attempts(moving, AllocationChange.JOIN);
    attempts.addAll(attempts(moving, AllocationChange.RELEASE));
    attempts.addAll(attempts(moving, AllocationChange.TAKE));
    return budgets.lock(tenants, starting, attempts);
  }

  private static Set<UUID> attempts(List<Transition> moving, AllocationChange holding) {
    Set<UUID> ids = new TreeSet<>();
    moving.stream()
        .filter(t -> t.holding() == holding)
        .forEach(t -> ids.add(Holdings.attempt(t).id().value()));
    return ids;
  }

  private static BudgetScope scope(Job job) {
    return new BudgetScope(
        job.tenant(), job.project(), job.queue(), job.user(), job.spec().labels());
  }

  private void reserve(
      BudgetBook book, Job job, Attempt attempt, Map<QuotaNodeId, Optional<Duration>> runtimes) {
    if (!book.covers(scope(job))) {
      return;
    }
    Duration given = job.spec().maxRuntime();
    Optional<Duration> longest =
        given != null
            ? Optional.of(given)
            : runtimes.computeIfAbsent(job.queue(), queue -> ofQueue(job));
    long millis = Budget.reserved(longest.orElse(null), null);
    if (book.reserve(scope(job), attempt.id().value(), milli(job, attempt), millis).isPresent()) {
      throw JobWrites.refused(Guard.BUDGET, job);
    }
  }

  /** An elastic job reserves time for its maximum number of members. */
  private static long milli(Job job, Attempt attempt) {
    long holds = attempt.members().stream().mapToLong(Member::gpuMilli).sum();
    return job.spec().elastic() ? Math.max(holds, job.spec().mostGpuMilli()) : holds;
  }

  private Optional<Duration> ofQueue(Job job) {
    return quotas
        .node(job.tenant(), job.queue())
        .map(QuotaNode::queue)
        .map(queue -> queue.defaultMaxRuntime());
  }
}
