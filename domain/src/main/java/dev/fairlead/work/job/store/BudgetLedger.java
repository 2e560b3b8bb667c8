package dev.fairlead.work.job.store;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Reserves time of budgets for attempts, and settles it by the intervals of use that their ends
 * stored. Runs after the ledger of GPUs in the same transaction. Its locks are the last.
 */
public final class BudgetLedger {
  private static final Set<AllocationChange> CHANGES =
      EnumSet.complementOf(EnumSet.of(AllocationChange.KEEP, AllocationChange.TRANSFER));

  private final BudgetStore budgets;
  private final QuotaStore quotas;

  public BudgetLedger(BudgetStore budgets, QuotaStore quotas) {
    this.budgets = budgets;
    this.quotas = quotas;
  }

  /**
   * Runs in the transaction that stores the transitions.
   *
   * @throws Conflict BUDGET when a budget has too little for a start
   */
  public void apply(List<Transition> transitions) {
    List<Transition> moving =
        transitions.stream().filter(t -> CHANGES.contains(t.holding())).toList();
    if (moving.isEmpty()) {
      return;
    }
    BudgetBook book = lock(moving);
    if (book.states().isEmpty()) {
      return;
    }
    Map<QuotaNodeId, Optional<Duration>> runtimes = new TreeMap<>();
    List<BudgetBook.Used> used = budgets.used(attempts(moving, AllocationChange.RELEASE));
    for (Transition transition : moving) {
      Attempt attempt = attempt(transition);
      switch (transition.holding()) {
        case TAKE -> reserve(book, transition.job(), attempt, runtimes);
        case JOIN -> book.grow(attempt.id().value(), milli(transition.job(), attempt));
        case RELEASE -> book.settle(attempt.id().value(), used);
        case LEAVE, MOVE, TRANSFER, KEEP -> {}
      }
    }
    budgets.write(book);
  }

  private BudgetBook lock(List<Transition> moving) {
    Set<TenantId> tenants = new TreeSet<>();
    moving.forEach(t -> tenants.add(t.job().tenant()));
    List<BudgetScope> starting =
        moving.stream()
            .filter(t -> t.holding() == AllocationChange.TAKE)
            .map(t -> scope(t.job()))
            .distinct()
            .toList();
    Set<UUID> attempts = attempts(moving, AllocationChange.JOIN);
    attempts.addAll(attempts(moving, AllocationChange.RELEASE));
    attempts.addAll(attempts(moving, AllocationChange.TAKE));
    return budgets.lock(tenants, starting, attempts);
  }

  private static Set<UUID> attempts(List<Transition> moving, AllocationChange holding) {
    Set<UUID> ids = new TreeSet<>();
    moving.stream()
        .filter(t -> t.holding() == holding)
        .forEach(t -> ids.add(attempt(t).id().value()));
    return ids;
  }

  private static Attempt attempt(Transition transition) {
    return Objects.requireNonNull(transition.attempt());
  }

  /** The scope of one job, which names every part. */
  public static BudgetScope scope(Job job) {
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
      throw new Conflict(Guard.BUDGET, job.id().text());
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
