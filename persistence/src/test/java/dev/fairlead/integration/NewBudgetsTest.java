package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetRecount;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The initial amount of a new budget, while concurrent jobs start and end. */
class NewBudgetsTest extends BudgetsByClock {
  private Budget budget() {
    return named("research");
  }

  private Budget named(String name) {
    return new Budget(
        new BudgetId(stores.ids().next()),
        new BudgetScope(world.tenant().id(), world.project().id(), null, null),
        name,
        BudgetUnit.GPU_HOURS,
        BudgetTimes.hours(1000),
        BudgetPeriod.MONTH,
        Budget.Mode.HARD,
        BudgetExhaustedPolicy.FINISH,
        List.of(),
        List.of(),
        1);
  }

  private ClosedUse closed() {
    return budgets.closed(budget());
  }

  private List<Long> spentAndReserved() {
    BudgetUse use = budgets.budgets(world.tenant().id()).getFirst().use(NEXT_MONTH);
    return List.of(hours(use.spent()), hours(use.reserved()));
  }

  private static long hours(BigInteger amount) {
    return amount.longValueExact() / Budget.GPU_HOUR;
  }

  private Attempt running(String name, String node) {
    return world.run(world.place(world.submit(Specs.job(name).gpus(1)), 0, node));
  }

  /** Two members of two GPUs. One leaves an hour later. */
  private Attempt shrunk(String name, String node) {
    Job job = world.submit(Specs.job(name).workers(2).minWorkers(1).gpus(2));
    Attempt planned = world.attempt(job, 0, world.members(job, 0, node, node));
    world.append(world.admission(planned));
    return world.run(planned);
  }

  private Attempt left(Attempt attempt) {
    return world.leave(world.shrink(attempt, "worker-1"));
  }

  /**
   * Fails when usage that ends between the two reads is lost or counted twice, or when the usage of
   * a member that has left an attempt is counted with the closed hours and again with its attempt.
   */
  @Test
  void attemptDuringTheSummationCountsOnce() {
    Attempt before = running("before", "node-1");
    Attempt across = shrunk("across", "node-1");
    Attempt after = shrunk("after", "node-2");
    clock.to(MIDDLE + HOUR);
    world.succeed(before);
    Attempt acrossLeft = left(across);
    Attempt afterLeft = left(after);
    clock.to(MIDDLE + 3 * HOUR);
    closeHours(MIDDLE + 2 * HOUR);

    ClosedUse closed = closed();
    assertThat(closed)
        .isEqualTo(new ClosedUse(NEXT_MONTH, MIDDLE + 2 * HOUR, BudgetTimes.spent(5)));
    world.succeed(acrossLeft);
    Attempt between = running("between", "node-1");
    clock.to(MIDDLE + 4 * HOUR);
    world.succeed(between);
    budgets.insert(budget(), closed, false);

    // before 1, across 2 + 6, between 1; after holds 2 GPUs for four hours and the next
    assertThat(spentAndReserved()).containsExactly(10L, 10L);
    world.succeed(afterLeft);
    assertThat(spentAndReserved()).containsExactly(20L, 0L);
  }

  /** Fails when hours that are closed are added up while starts and ends wait. */
  @Test
  void closedHoursAreNotReadUnderTheLock() {
    Attempt before = running("before", "node-1");
    clock.to(MIDDLE + HOUR);
    world.succeed(before);
    clock.to(MIDDLE + 3 * HOUR);
    closeHours(MIDDLE + 2 * HOUR);

    budgets.insert(
        budget(), new ClosedUse(NEXT_MONTH, MIDDLE + 2 * HOUR, BudgetTimes.spent(7)), false);

    assertThat(spentAndReserved()).containsExactly(7L, 0L);
  }

  /** Fails when the closed hours end with the moment at which the next end may still be booked. */
  @Test
  void endAtTheEdgeOfTheClosedHoursIsCounted() {
    Attempt ends = running("ends", "node-1");
    clock.to(MIDDLE + 2 * HOUR);
    closeHours(MIDDLE + 2 * HOUR);
    ClosedUse closed = closed();
    world.succeed(ends);
    budgets.insert(budget(), closed, false);
    assertThat(spentAndReserved()).containsExactly(2L, 0L);

    closeHours(MIDDLE + 3 * HOUR);
    assertThat(closed().used().amount()).isEqualTo(BudgetTimes.hours(2));
  }

  /** Fails when the closed hours of last month are carried across midnight into this month. */
  @Test
  void useSummedBeforeMidnightIsNotInTheNewPeriod() {
    ClosedUse closed = new ClosedUse(NEXT_MONTH - HOUR, MIDDLE, BudgetTimes.spent(7));
    budgets.insert(budget(), closed, false);
    assertThat(spentAndReserved()).containsExactly(0L, 0L);
  }

  private Attempt onSlices() {
    String eighth = "nvidia.com/mig-1g.10gb";
    world.report(NodeReports.node("node-1").offers(eighth, 14).build());
    GpuRequest eight = new GpuRequest(GpuRequest.Kind.MIG, 8, 0, 0, "1g.10gb", List.of(), 0);
    Job job = world.submit(Specs.job("slices").gpu(eight).maxRuntime(Duration.ofHours(3)));
    Node node = world.node("node-1");
    Member member =
        Member.planned(
            job.spec().roles().getFirst().name(),
            0,
            node.id(),
            node.name(),
            new Flavor("H100", CapacityType.RESERVED),
            new ResourceVector(100, 100, 0, 1, new TreeMap<>(Map.of(eighth, 8L))),
            List.of());
    Attempt planned = world.attempt(job, 0, List.of(member));
    world.append(world.admission(planned));
    return world.run(world.attempt(planned));
  }

  /** Fails when slices without a reported GPU reserve or spend nothing, or count as whole GPUs. */
  @Test
  void earlierSlicesReserveAndSpendTheirFraction() {
    budgets.insert(budget(), closed(), false);
    Attempt attempt = onSlices();
    assertThat(spentAndReserved()).containsExactly(0L, 3L);
    clock.to(MIDDLE + 2 * HOUR);
    budgets.insert(named("second"), closed(), false);
    world.succeed(attempt);
    assertThat(spentAndReserved()).containsExactly(2L, 0L);
    assertThat(budgets.budgets(world.tenant().id()).getLast().use(NEXT_MONTH).spent())
        .isEqualTo(BudgetTimes.hours(2));
  }

  /** Fails when a wrong counter remains, or a correct one changes. */
  @Test
  void budgetThatDiffersFromItsRowsIsRecounted() {
    world.succeed(running("before", "node-1"));
    Attempt held = running("held", "node-1");
    clock.to(MIDDLE + HOUR);
    world.succeed(running("none", "node-2"));
    Budget budget = budget();
    budgets.insert(budget, closed(), false);
    clock.to(MIDDLE + HOUR / 2 * 3);
    assertThat(recount(budget)).isEmpty();

    stores
        .jdbc()
        .sql("UPDATE budget_use SET spent = spent + 5, reserved = reserved - 7 WHERE budget = :id")
        .param("id", budget.id().value())
        .update();
    assertThat(recount(budget))
        .extracting(drift -> drift.counted().subtract(drift.held()).longValueExact())
        .containsExactly(5L, -7L);
    assertThat(recount(budget)).isEmpty();

    closeHours(MIDDLE + HOUR);
    assertThat(recount(budget)).isEmpty();
    world.succeed(held);
    assertThat(recount(budget)).isEmpty();
    assertThat(budgets.budgets(world.tenant().id()).getFirst().use(NEXT_MONTH))
        .isEqualTo(BudgetTimes.use(1.5, 0));
  }

  private List<BudgetRecount.Drift> recount(Budget budget) {
    ClosedUse closed = closed();
    return stores.transactions().forAllTenants(() -> budgets.recount(budget.id(), closed));
  }

  /** Fails when a day that was added up is lost with those that were not, or is read again. */
  @Test
  void closedHoursAreAddedUpADayAtATime() {
    closeHours(NEXT_MONTH + 36 * HOUR);
    ClosedUse day = budgets.closedDay(budget(), ClosedUse.NONE);
    assertThat(day)
        .isEqualTo(new ClosedUse(NEXT_MONTH, NEXT_MONTH + 24 * HOUR, BudgetSpent.NOTHING));
    ClosedUse known = new ClosedUse(NEXT_MONTH, day.toMillis(), BudgetTimes.spent(7));
    ClosedUse all = budgets.closedDay(budget(), known);
    assertThat(all)
        .isEqualTo(new ClosedUse(NEXT_MONTH, NEXT_MONTH + 36 * HOUR, BudgetTimes.spent(7)));
    assertThat(budgets.closedDay(budget(), all)).isEqualTo(all);
  }

  /** Fails when a dry run reads usage. */
  @Test
  void dryRunReadsNoPastUse() {
    Attempt before = running("before", "node-1");
    clock.to(MIDDLE + HOUR);
    world.succeed(before);
    budgets.insert(budget(), ClosedUse.NONE, true);
    assertThat(spentAndReserved()).containsExactly(0L, 0L);
  }

  /** Fails when a trial and starts or ends wait for each other. */
  @Test
  void dryRunDoesNotWaitForStarts() {
    stores
        .transactions()
        .forAllTenants(() -> {
          budgets.lock(Set.of(world.tenant().id()), List.of(), List.of());
          return CompletableFuture.runAsync(() -> insertAtOnce(true))
              .orTimeout(60, TimeUnit.SECONDS)
              .join();
        });
    assertThat(budgets.budgets(world.tenant().id())).hasSize(1);
  }

  private void insertAtOnce(boolean trial) {
    boolean _ =
        stores
            .transactions()
            .forAllTenants(() -> {
              stores.jdbc().sql("SET LOCAL lock_timeout = '100ms'").update();
              budgets.insert(budget(), closed(), trial);
              return true;
            });
  }
}
