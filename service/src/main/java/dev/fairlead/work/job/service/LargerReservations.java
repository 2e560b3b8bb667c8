package dev.fairlead.work.job.service;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reserves the difference in the budgets when a running job gets a longer runtime or more GPUs. */
@Service
public class LargerReservations {
  private final BudgetStore budgets;
  private final QuotaStore quotas;
  private final Transactions transactions;

  public LargerReservations(BudgetStore budgets, QuotaStore quotas, Transactions transactions) {
    this.budgets = budgets;
    this.quotas = quotas;
    this.transactions = transactions;
  }

  /**
   * Updates the reservations of a patched job, in the transaction that stores the patch and has
   * locked the job.
   *
   * @param live live attempts of the job
   * @param trial reserves nothing
   * @return the patched spec
   * @throws Refusal LIMIT_EXCEEDED with the figures when a budget has too little
   */
  public JobSpec reserved(Job job, JobSpec patched, List<Attempt> live, boolean trial) {
    boolean wider = patched.mostGpuMilli() > job.spec().mostGpuMilli();
    Duration runtime = longer(job, patched.maxRuntime());
    Duration had = patched.maxRuntime() == null ? job.spec().maxRuntime() : null;
    if (!live.isEmpty() && (wider || runtime != null || had != null)) {
      Larger larger = new Larger(wider ? patched.mostGpuMilli() : 0, runtime, had);
      transactions.forAllTenants(() -> enlarged(job, larger, live, trial));
    }
    return patched;
  }

  /**
   * The part of a patch that exceeds the reservation.
   *
   * @param milli thousandths of GPUs, 0 for no more
   * @param runtime null for no longer one
   * @param had the runtime that the patch removes, null if none
   */
  private record Larger(long milli, @Nullable Duration runtime, @Nullable Duration had) {}

  /** The runtime that a patch sets when it is longer than before, else null. */
  private @Nullable Duration longer(Job job, @Nullable Duration patched) {
    Duration before = job.spec().maxRuntime();
    if (patched == null || Objects.equals(patched, before)) {
      return null;
    }
    Duration was = before != null ? before : ofQueue(job);
    return was != null && patched.compareTo(was) > 0 ? patched : null;
  }

  private boolean enlarged(Job job, Larger larger, List<Attempt> live, boolean trial) {
    Set<UUID> ids = live.stream().map(a -> a.id().value()).collect(Collectors.toSet());
    BudgetBook book = budgets.lock(List.of(job.tenant()), List.of(), ids);
    for (UUID attempt : ids) {
      refuse(book.widen(attempt, larger.milli), "workers", book.nowMillis());
      if (larger.runtime != null) {
        long millis = Budget.reserved(larger.runtime, null);
        refuse(book.lengthen(attempt, millis), "maxRuntime", book.nowMillis());
      }
      if (larger.had != null) {
        refuse(book.unbind(attempt, larger.had, ofQueue(job)), "maxRuntime", book.nowMillis());
      }
    }
    if (!trial) {
      budgets.write(book);
    }
    return true;
  }

  private @Nullable Duration ofQueue(Job job) {
    QueueSettings queue = quotas.node(job.tenant(), job.queue()).map(QuotaNode::queue).orElse(null);
    return queue == null ? null : queue.defaultMaxRuntime();
  }

  private static void refuse(Optional<BudgetBook.Shortfall> lacking, String field, long now) {
    if (lacking.isEmpty()) {
      return;
    }
    BudgetState state = lacking.get().state();
    Budget budget = state.budget();
    BudgetUnit unit = budget.unit();
    long period = budget.period().begin(now);
    throw Refusal.field(
        ProblemCode.LIMIT_EXCEEDED,
        "/" + field,
        ("%s: budget %s has %s %s too few for this %s: of %s in this period, %s are spent and %s"
                + " reserved for running jobs. Request less, or ask an owner of the tenant for a"
                + " grant.")
            .formatted(
                Reason.BUDGET_SPENT,
                budget.name(),
                unit.text(lacking.get().missing()),
                unit.name(),
                field,
                unit.text(budget.limit(period, now)),
                unit.text(state.use(period).spent()),
                unit.text(state.use(period).reserved())),
        null);
  }
}
