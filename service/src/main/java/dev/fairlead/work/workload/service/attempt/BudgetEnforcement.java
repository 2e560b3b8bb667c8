package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetEnforcer;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.OverdrawingAttempt;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.BudgetTransitions;
import dev.fairlead.work.job.BudgetTransitions.Exhaustion;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Stops jobs with running hours that exceed their budget, by the policy of the budget. */
@Component
public class BudgetEnforcement implements BudgetEnforcer {
  private static final String ACTOR = OwnActor.BUDGETS.text();
  private static final String OPERATION = "stopAtBudget";

  private final JobStore jobs;
  private final JobWriter writer;
  private final BudgetStore budgets;
  private final AuditLog audit;

  public BudgetEnforcement(JobStore jobs, JobWriter writer, BudgetStore budgets, AuditLog audit) {
    this.jobs = jobs;
    this.writer = writer;
    this.budgets = budgets;
    this.audit = audit;
  }

  /**
   * Reads the budget after it has locked the job, without a lock on the budget: a writer of both
   * locks the budget last. A grant that is committed later has no effect on the job.
   */
  @Override
  public boolean enforce(OverdrawingAttempt one) {
    Job job = jobs.lock(List.of(one.job())).stream().findFirst().orElse(null);
    Attempt attempt =
        jobs.attempts(List.of(new AttemptId(one.attempt()))).stream()
            .filter(Attempt::live)
            .findFirst()
            .orElse(null);
    BudgetState state = budgets.state(one.budget()).orElse(null);
    if (job == null || attempt == null || state == null) {
      return false;
    }
    long now = budgets.now();
    boolean meets = state.budget().stops() && state.over(now).signum() > 0;
    return meets && stopped(job, attempt, state, now);
  }

  private boolean stopped(Job job, Attempt attempt, BudgetState state, long nowMillis) {
    Budget budget = state.budget();
    /* Other elements of an array may have hours left, so the array is not suspended. */
    BudgetExhaustedPolicy policy =
        job.array() == null ? budget.onExhausted() : BudgetExhaustedPolicy.PREEMPT;
    Exhaustion exhaustion = exhaustion(state, policy, nowMillis);
    Instant now = jobs.now();
    Optional<List<Transition>> chain =
        switch (policy) {
          case FINISH -> Optional.empty();
          case PREEMPT ->
              BudgetTransitions.preempted(job, element(job, attempt), attempt, exhaustion, now);
          case SUSPEND -> BudgetTransitions.suspended(job, attempt, exhaustion, now);
        };
    chain.ifPresent(transitions -> {
      writer.write(transitions, decided(job, attempt, policy, exhaustion, now));
      SortedMap<String, Object> detail = new TreeMap<>(exhaustion.figures());
      detail.put("attempt", attempt.number());
      Actor actor = new Actor(job.tenant(), ACTOR);
      audit.append(new AuditRecord(actor, OPERATION, job.id().text(), true, detail));
    });
    return chain.isPresent();
  }

  private @Nullable JobElement element(Job job, Attempt attempt) {
    return job.array() == null ? null : jobs.element(job.id(), attempt.element()).orElse(null);
  }

  /** A suspension is an order, not an eviction. */
  private static List<DecisionRecord> decided(
      Job job, Attempt attempt, BudgetExhaustedPolicy policy, Exhaustion exhaustion, Instant now) {
    DecisionRecord.Evicted evicted =
        DecisionRecord.Evicted.of(attempt, StopCause.PREEMPTION, null, exhaustion.text());
    return policy == BudgetExhaustedPolicy.PREEMPT
        ? List.of(new DecisionRecord(job.id(), now, evicted))
        : List.of();
  }

  private static Exhaustion exhaustion(BudgetState state, BudgetExhaustedPolicy policy, long now) {
    Budget budget = state.budget();
    BudgetUnit unit = budget.unit();
    long period = budget.period().begin(now);
    BudgetUse use = state.use(period);
    Instant renews = Instant.ofEpochMilli(budget.period().end(now));
    SortedMap<String, Object> figures = new TreeMap<>();
    figures.put("budget", budget.name());
    figures.put("onExhausted", policy.name());
    figures.put("unit", unit.name());
    figures.put("spent", unit.text(use.spent()));
    figures.put("reserved", unit.text(use.reserved()));
    figures.put("limit", unit.text(budget.limit(period, now)));
    figures.put("overdrawn", unit.text(state.over(now)));
    figures.put("renewsAt", renews.toString());
    String text =
        ("budget %s is spent: %s %s spent and %s reserved for running jobs of %s, %s over the"
                + " limit, and the time that was reserved for this job is over. %s (the budget"
                + " renews at %s)")
            .formatted(
                budget.name(),
                figures.get("spent"),
                unit.name(),
                figures.get("reserved"),
                figures.get("limit"),
                figures.get("overdrawn"),
                policy == BudgetExhaustedPolicy.SUSPEND
                    ? "It is suspended, resume it when budget is available"
                    : "It waits until the budget allows it",
                renews);
    return new Exhaustion(text, figures);
  }
}
