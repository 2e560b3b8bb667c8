package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetGrant;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.OverdrawingAttempt;
import dev.fairlead.money.budget.WallPolicy;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which attempts stand at the wall of a budget, by a clock that the test sets. */
class BudgetWallsTest extends BudgetsByClock {
  private Budget hard(WallPolicy policy) {
    Budget budget =
        new Budget(
                new BudgetId(stores.ids().next()),
                new BudgetScope(world.tenant().id(), world.project().id(), null, null),
                "research",
                BudgetUnit.GPU_HOURS,
                BudgetTimes.hours(3),
                BudgetPeriod.MONTH,
                Budget.Mode.HARD,
                List.of(),
                List.of(),
                1)
            .at(policy);
    budgets.insert(budget, budgets.closed(budget), false);
    return budget;
  }

  private Attempt running(String name) {
    return world.run(world.place(world.submit(Specs.job(name).gpus(1)), 0, "node-1"));
  }

  private void renew() {
    for (BudgetId due : budgets.due()) {
      boolean _ =
          stores
              .transactions()
              .forAllTenants(() -> {
                BudgetBook book = budgets.lock(due);
                budgets.write(book);
                return true;
              });
    }
  }

  /** Fails when the policy or the wall is not stored, or a start forgets who stands there. */
  @Test
  void aStartThatRenewsPutsWhatItCannotPayAtTheWall() {
    Budget budget = hard(WallPolicy.PREEMPT);
    Attempt one = running("one");
    Attempt two = running("two");
    clock.to(MIDDLE + HOUR);

    Job next = world.submit(Specs.job("next").gpus(1));
    Refused.by(Guard.BUDGET, () -> world.place(next, 0, "node-2"));
    assertThat(budgets.atWall(null, 10)).as("a refused start writes nothing").isEmpty();
    renew();

    List<OverdrawingAttempt> standing = budgets.atWall(null, 10);
    assertThat(standing).hasSize(1);
    OverdrawingAttempt met = standing.getFirst();
    assertThat(budgets.atWall(met, 10)).as("the page after it").isEmpty();
    assertThat(met.budget()).isEqualTo(budget.id());
    assertThat(met.wallMillis()).isEqualTo(MIDDLE + HOUR);
    assertThat(List.of(one.job(), two.job())).contains(met.job());
    BudgetState state = budgets.state(budget.id()).orElseThrow();
    assertThat(state.budget().atWall()).isEqualTo(WallPolicy.PREEMPT);
    assertThat(state.over(MIDDLE + HOUR)).isEqualTo(BudgetTimes.hours(1));

    budgets.leaveWall(
        new OverdrawingAttempt(met.budget(), met.attempt(), met.job(), met.wallMillis() - 1));
    assertThat(budgets.atWall(null, 10)).as("put there again meanwhile").hasSize(1);
    budgets.leaveWall(met);
    assertThat(budgets.atWall(null, 10)).isEmpty();
  }

  /** Fails when an attempt stands at the wall for ever, though a grant pays its next hour. */
  @Test
  void anHourThatAGrantPaysTakesAnAttemptFromTheWall() {
    Budget budget = hard(WallPolicy.SUSPEND);
    running("one");
    running("two");
    clock.to(MIDDLE + HOUR);
    renew();
    assertThat(budgets.atWall(null, 10)).hasSize(1);

    budgets.update(
        budget.granting(
            new BudgetGrant(BudgetTimes.hours(10), MIDDLE + HOUR, MIDDLE + 90 * 24 * HOUR, "x")));
    clock.to(MIDDLE + 2 * HOUR);
    renew();

    assertThat(budgets.atWall(null, 10)).isEmpty();
  }

  /** Fails when a budget that lets jobs finish stops them. */
  @Test
  void jobsFinishByDefault() {
    hard(WallPolicy.FINISH);
    running("one");
    running("two");
    clock.to(MIDDLE + HOUR);
    renew();
    clock.to(MIDDLE + 2 * HOUR);
    renew();
    assertThat(budgets.atWall(null, 10)).isEmpty();
  }
}
