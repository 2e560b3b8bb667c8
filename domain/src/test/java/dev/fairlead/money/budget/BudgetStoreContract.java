package dev.fairlead.money.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reservations and spending of attempts in every {@link BudgetStore}, by a test clock. */
public abstract class BudgetStoreContract extends BudgetFixture {
  private Budget hard(BudgetExhaustedPolicy policy) {
    Budget budget =
        new Budget(
                new BudgetId(stores().ids().next()),
                new BudgetScope(world.tenant().id(), world.project().id(), null, null),
                "research",
                BudgetUnit.GPU_HOURS,
                BudgetTimes.hours(3),
                BudgetPeriod.MONTH,
                Budget.Mode.HARD,
                BudgetExhaustedPolicy.FINISH,
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

  /** Fails when the reservation remains after the end, or the spending differs from the usage. */
  @Test
  void endedAttemptHasSpentTheSumOfItsIntervals() {
    hard(20);
    Attempt attempt = world.run(world.place(job("train", 2, 5), 0, "node-1"));
    assertThat(spentAndReserved(middle())).containsExactly(0.0, 10.0);

    to(middle() + HOUR / 2);
    world.succeed(attempt);

    assertThat(spentAndReserved(middle())).containsExactly(1.0, 0.0);
  }

  /**
   * Fails when the second attempt of a job counts the first attempt again, or retains its hours.
   */
  @Test
  void evictedJobThatReturnsIsCountedOnce() {
    hard(6);
    Job job = job("train", 2, 3);
    Attempt first = world.run(world.place(job, 0, "node-1"));
    to(middle() + HOUR);
    world.fail(first, FailureCause.PREEMPTED);
    assertThat(spentAndReserved(middle())).containsExactly(2.0, 0.0);

    Refused.by(Guard.BUDGET, () -> world.place(job, 0, "node-1"));
    assertThat(spentAndReserved(middle())).containsExactly(2.0, 0.0);

    budgets.update(state().budget().with(BudgetTimes.hours(8), Budget.Mode.HARD, List.of()));
    Attempt second = world.run(world.place(job, 0, "node-1"));
    to(middle() + 3 * HOUR);
    world.succeed(second);
    assertThat(spentAndReserved(middle())).containsExactly(6.0, 0.0);
  }

  /** Fails when an attempt that runs over midnight is charged to only one of the months. */
  @Test
  void amountIsAvailableAgainAtMidnightUtc() {
    long midnight = BudgetPeriod.MONTH.end(middle());
    to(midnight - HOUR);
    hard(2);
    Attempt over = world.run(world.place(job("over", 2, 2), 0, "node-1"));
    assertThat(spentAndReserved(middle())).containsExactly(0.0, 2.0);
    assertThat(spentAndReserved(midnight)).containsExactly(0.0, 2.0);
    Job next = job("next", 2, 1);
    Refused.by(Guard.BUDGET, () -> world.place(next, 0, "node-2"));

    to(midnight);
    Refused.by(Guard.BUDGET, () -> world.place(next, 0, "node-2"));
    world.succeed(over);

    assertThat(spentAndReserved(middle())).containsExactly(2.0, 0.0);
    assertThat(spentAndReserved(midnight)).containsExactly(0.0, 0.0);
    world.place(next, 0, "node-2");
  }

  /** Fails when a grant admits after it has expired. */
  @Test
  void aGrantAdmitsUntilItExpires() {
    Budget budget = hard(1);
    long expires = middle() + 2 * HOUR;
    budgets.update(
        budget.granting(new BudgetGrant(BudgetTimes.hours(4), middle(), expires, "paper")));
    world.place(job("first", 2, 1), 0, "node-1");

    to(expires);
    Job second = job("second", 1, 1);
    Refused.by(Guard.BUDGET, () -> world.place(second, 0, "node-2"));
  }

  /** Fails when a job without a runtime is renewed forever, twice, or not over its budget. */
  @Test
  void aJobWithoutRuntimeReservesHourByHourAndFinishesOverBudget() {
    hard(1);
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(1)), 0, "node-1"));
    assertThat(spentAndReserved(middle())).containsExactly(0.0, 1.0);

    to(middle() + HOUR);
    renew();
    renew();
    assertThat(spentAndReserved(middle())).containsExactly(0.0, 2.0);

    to(middle() + HOUR + HOUR / 2);
    world.succeed(attempt);
    assertThat(spentAndReserved(middle())).containsExactly(1.5, 0.0);
  }

  /** Fails when a job starts on hours that a longer job has used in the meantime. */
  @Test
  void admissionRenewsADueBudget() {
    hard(2);
    world.run(world.place(world.submit(Specs.job("train").gpus(1)), 0, "node-1"));

    to(middle() + HOUR);

    Job next = job("next", 1, 1);
    Refused.by(Guard.BUDGET, () -> world.place(next, 0, "node-2"));
  }

  /** Fails when a new budget starts at zero although jobs have used time of its period. */
  @Test
  void newBudgetCountsPastUseAndCurrentReservations() {
    Attempt before = world.run(world.place(job("before", 2, 1), 0, "node-1"));
    Attempt runs = world.run(world.place(job("runs", 1, 4), 0, "node-2"));
    to(middle() + HOUR);
    world.succeed(before);

    hard(10);

    assertThat(spentAndReserved(middle())).containsExactly(2.0, 2.0);
    to(middle() + 2 * HOUR);
    world.succeed(runs);
    assertThat(spentAndReserved(middle())).containsExactly(4.0, 0.0);
  }

  /** Fails when an elastic job starts small and grows past the budget. */
  @Test
  void elasticJobReservesItsMaximumSize() {
    hard(3);
    Job job =
        world.submit(
            Specs.job("elastic").workers(4).minWorkers(1).gpus(1).maxRuntime(Duration.ofHours(1)));
    Attempt small = world.attempt(job, 0, world.members(job, 0, "node-1"));

    Refused.by(Guard.BUDGET, () -> world.append(world.admission(small)));
  }

  @Test
  void budgetNamesAreUniqueInATenant() {
    hard(1);
    assertThatThrownBy(() -> hard(1))
        .isInstanceOfSatisfying(
            Conflict.class, taken -> assertThat(taken.guard()).isEqualTo(Guard.NAME_TAKEN));
  }

  /** Fails when a budget can be changed or deleted by its id from any tenant. */
  @Test
  void budgetIsChangedAndDeletedByItsTenantOnly() {
    Budget own = hard(1);
    Budget foreign =
        own.withScope(new BudgetScope(TestWorld.in(stores()).tenant().id(), null, null, null));

    Refused.by(
        Guard.VERSION, () -> budgets.update(foreign.with(own.amount(), own.mode(), own.alerts())));
    Refused.by(Guard.VERSION, () -> budgets.delete(foreign));
    assertThat(state().budget()).isEqualTo(own);
  }

  /**
   * Fails when a start reserves at a price other than the price of its placement, or beyond the
   * amount.
   */
  @Test
  void startReservesThePriceOfItsNodesAndAnEvictionReleasesIt() {
    price(null, "2", Duration.ZERO);
    paid(12);
    Job job = job("train", 2, 3);
    Attempt first = world.run(world.place(job, 0, "node-1"));
    assertThat(figures()).containsExactly("0", "12");

    to(middle() + HOUR);
    world.fail(first, FailureCause.PREEMPTED);
    assertThat(figures()).containsExactly("4", "0");
    Refused.by(Guard.BUDGET, () -> world.place(job, 0, "node-1"));
    assertThat(figures()).containsExactly("4", "0");
  }

  /** Fails when a rise counts for hours that have passed, in a counter, a figure or a recount. */
  @Test
  void priceRiseAppliesOnlyToLaterHours() {
    price(price(null, "2", Duration.ZERO), "4", Duration.ofHours(2));
    Budget budget = paid(100);
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(1)), 0, "node-1"));
    for (int hour = 1; hour <= 3; hour++) {
      to(middle() + hour * HOUR);
      renew();
    }

    assertThat(figures()).containsExactly("0", "12");
    assertThat(EUR.text(running(budget))).isEqualTo("8");
    assertThat(recounted(budget)).isEmpty();
    budgets.delete(budget);
    Budget again = paid(100);
    assertThat(figures()).containsExactly("0", "12");
    assertThat(EUR.text(running(again))).isEqualTo("8");
    world.succeed(attempt);
    assertThat(figures()).containsExactly("8", "0");
    assertThat(recounted(again)).isEmpty();
  }

  /** Fails when the policy or the mark is not stored, or a start clears another budget's mark. */
  @Test
  void renewingStartMarksTheAttemptsThatItsBudgetCannotPay() {
    Budget budget = hard(BudgetExhaustedPolicy.PREEMPT);
    Attempt one = running("one");
    Attempt two = running("two");
    to(middle() + HOUR);

    Job next = world.submit(Specs.job("next").gpus(1));
    Refused.by(Guard.BUDGET, () -> world.place(next, 0, "node-2"));
    assertThat(budgets.overdrawing(null, 10)).as("a refused start writes nothing").isEmpty();
    renew();

    List<OverdrawingAttempt> marked = budgets.overdrawing(null, 10);
    assertThat(marked).hasSize(1);
    OverdrawingAttempt met = marked.getFirst();
    assertThat(budgets.overdrawing(met, 10)).as("the page after it").isEmpty();
    assertThat(met.budget()).isEqualTo(budget.id());
    assertThat(met.exhaustedMillis()).isEqualTo(middle() + HOUR);
    assertThat(List.of(one.job(), two.job())).contains(met.job());
    BudgetState state = budgets.state(budget.id()).orElseThrow();
    assertThat(state.budget().onExhausted()).isEqualTo(BudgetExhaustedPolicy.PREEMPT);
    assertThat(state.over(middle() + HOUR)).isEqualTo(BudgetTimes.hours(1));

    budgets.enforced(
        new OverdrawingAttempt(met.budget(), met.attempt(), met.job(), met.exhaustedMillis() - 1));
    assertThat(budgets.overdrawing(null, 10)).as("marked again in the meantime").hasSize(1);
    budgets.enforced(met);
    assertThat(budgets.overdrawing(null, 10)).isEmpty();
  }

  /** Fails when an attempt stays marked although a grant covers its next hour. */
  @Test
  void hourPaidByAGrantClearsTheMarkOfItsAttempt() {
    Budget budget = hard(BudgetExhaustedPolicy.SUSPEND);
    running("one");
    running("two");
    to(middle() + HOUR);
    renew();
    assertThat(budgets.overdrawing(null, 10)).hasSize(1);

    budgets.update(
        budget.granting(
            new BudgetGrant(
                BudgetTimes.hours(10), middle() + HOUR, middle() + 90 * 24 * HOUR, "x")));
    to(middle() + 2 * HOUR);
    renew();

    assertThat(budgets.overdrawing(null, 10)).isEmpty();
  }

  /** Fails when a budget that permits jobs to finish stops them. */
  @Test
  void jobsFinishByDefault() {
    hard(BudgetExhaustedPolicy.FINISH);
    running("one");
    running("two");
    to(middle() + HOUR);
    renew();
    to(middle() + 2 * HOUR);
    renew();
    assertThat(budgets.overdrawing(null, 10)).isEmpty();
  }

  /** Fails when a closed hour is read twice, or an end in an open hour is not read. */
  @Test
  void closedHoursAndLaterEndsAddUp() {
    Budget budget = hard(100);
    Attempt first = world.run(world.place(job("first", 2, 5), 0, "node-1"));
    Attempt second = world.run(world.place(job("second", 1, 5), 0, "node-2"));
    to(middle() + HOUR);
    world.succeed(first);
    to(middle() + 2 * HOUR);
    close(middle() + 2 * HOUR);
    to(middle() + 2 * HOUR + HOUR / 2);
    world.succeed(second);

    assertThat(spentAndReserved(middle())).containsExactly(4.5, 0.0);
    ClosedUse closed = budgets.closed(budget);
    assertThat(closed.used()).isEqualTo(BudgetTimes.spent(2));
    assertThat(closed.lags(middle() + 3 * HOUR)).isFalse();
    assertThat(recounted(budget)).isEmpty();
  }

  /** Fails when another tenant's budget, or no budget, is found for a job. */
  @Test
  void budgetOfAnotherProjectCountsNothing() {
    Budget own = hard(100);
    Budget other =
        new Budget(
            new BudgetId(stores().ids().next()),
            new BudgetScope(world.tenant().id(), null, null, "somebody-else"),
            "other",
            BudgetUnit.GPU_HOURS,
            BudgetTimes.hours(0),
            BudgetPeriod.MONTH,
            Budget.Mode.HARD,
            BudgetExhaustedPolicy.FINISH,
            List.of(),
            List.of(),
            1);
    budgets.insert(other, ClosedUse.NONE, false);
    world.place(job("train", 1, 1), 0, "node-1");

    assertThat(budgets.budgets(world.tenant().id()))
        .extracting(state -> state.budget().name())
        .containsExactly("other", own.name());
    assertThat(budgets.state(other.id()).orElseThrow().use(BudgetPeriod.MONTH.begin(middle())))
        .isEqualTo(BudgetUse.NOTHING);
    assertThat(budgets.due()).doesNotContain(own.id());
    to(middle() + HOUR);
    assertThat(budgets.due()).contains(own.id()).doesNotContain(other.id());
  }

  /** Fails when an event of a budget is not stored for its tenant. */
  @Test
  void anEventOfABudgetIsStored() {
    Budget budget = hard(1);
    boolean _ =
        stores()
            .transactions()
            .forAllTenants(() -> {
              budgets.tell(budget, Fact.of("BudgetThresholdReached").with("percent", 50));
              return true;
            });

    assertThat(stores().events().after(EventPosition.START, 100_000))
        .anyMatch(event -> event.subjectId().equals(budget.id().value()));
  }
}
