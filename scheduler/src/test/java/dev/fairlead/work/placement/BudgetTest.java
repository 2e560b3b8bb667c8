package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.GpuRequest.Kind;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Starts that a budget prevents. */
class BudgetTest {
  private final Scene scene = new Scene();

  @BeforeEach
  void aNode() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
  }

  private void budget(BudgetScope scope, Budget.Mode mode, long hours, BudgetUse use) {
    Budget budget =
        new Budget(
            new BudgetId(new UUID(6, scene.budgets.size() + 1)),
            scope,
            "research",
            BudgetUnit.GPU_HOURS,
            BudgetTimes.hours(hours),
            BudgetPeriod.MONTH,
            mode,
            BudgetExhaustedPolicy.FINISH,
            List.of(),
            List.of(),
            1);
    long month = BudgetPeriod.MONTH.begin(Scene.NOW.toEpochMilli());
    scene.budgets.add(new BudgetState(budget, new TreeMap<>(Map.of(month, use))));
  }

  private void ofTenant(Budget.Mode mode, long hours, long spent, long reserved) {
    budget(
        new BudgetScope(Scene.TENANT, null, null, null),
        mode,
        hours,
        BudgetTimes.use(spent, reserved));
  }

  private JobBuilder job(String name) {
    return scene.job(name).gpus(2).maxRuntime(Duration.ofHours(3));
  }

  /** Fails when starts of one cycle are not deducted from the budget: both would start. */
  @Test
  void startsOfOneCycleStayWithinTheBudget() {
    ofTenant(Budget.Mode.HARD, 20, 5, 4);
    JobBuilder first = job("first").age(100);
    JobBuilder second = job("second").age(50);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    Blocker why = plan.first(second);
    assertThat(why.reason()).isEqualTo(Reason.BUDGET_SPENT);
    assertThat(why.message())
        .satisfies(
            reason(
                "budget.budget-research-gpu-hours",
                "research",
                5,
                10,
                20,
                6,
                1,
                "2026-04-01T00:00:00Z"));
    assertThat(why.numbers()).containsEntry("missingMilliGpuMillis", Budget.GPU_HOUR);
    assertThat(why.action()).contains("grant of 1 GPU-hours");
  }

  /** Fails when a job over its budget blocks a strict queue, or a smaller one does not pass it. */
  @Test
  void smallerJobsOvertakeEvenInAStrictQueue() {
    QuotaNodeId queue =
        scene.queue(
            "strict",
            null,
            QueueSettings.of(QueueSettings.Order.STRICT_FIFO, QueueSettings.State.ACTIVE, null));
    ofTenant(Budget.Mode.HARD, 5, 0, 0);
    JobBuilder wide = job("wide").age(100).queue("strict", queue);
    JobBuilder narrow = scene.job("narrow").gpus(1).age(50).queue("strict", queue);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(wide)).isFalse();
    assertThat(plan.starts(narrow)).isTrue();
    assertThat(plan.first(wide).action()).satisfies(reason("budget.more-whole-period"));
  }

  /** Fails when a soft budget, another queue's budget, or a job without GPUs blocks a start. */
  @Test
  void softBudgetsAndBudgetsOfOthersBlockNothing() {
    ofTenant(Budget.Mode.SOFT, 0, 9, 0);
    QuotaNodeId other = scene.queue("other", null, QueueSettings.DEFAULT);
    budget(
        new BudgetScope(Scene.TENANT, null, other, null), Budget.Mode.HARD, 0, BudgetUse.NOTHING);
    JobBuilder job = job("job");
    JobBuilder cpuOnly = scene.job("cpu").queue("other", other);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isTrue();
    assertThat(plan.starts(cpuOnly)).isTrue();
  }

  /** Fails when a budget by label blocks jobs of its scope that do not have the label. */
  @Test
  void labelBudgetBlocksNothing() {
    BudgetScope scope =
        new BudgetScope(Scene.TENANT, null, null, null, new TreeMap<>(Map.of("team", "nlp")));
    budget(scope, Budget.Mode.HARD, 0, BudgetTimes.use(9, 0));
    budget(scope, Budget.Mode.UNREADABLE, 0, BudgetUse.NOTHING);
    JobBuilder job = job("job");

    assertThat(scene.plan().starts(job)).isTrue();
  }

  /** Fails when a job without maxRuntime reserves forever, or its queue's runtime is not used. */
  @Test
  void aJobReservesItsQueuesRuntimeOrElseAnHour() {
    QuotaNodeId queue =
        scene.queue(
            "long",
            null,
            QueueSettings.of(
                QueueSettings.Order.BEST_EFFORT_FIFO,
                QueueSettings.State.ACTIVE,
                Duration.ofHours(10)));
    ofTenant(Budget.Mode.HARD, 9, 0, 0);
    JobBuilder ofQueue = scene.job("of-queue").gpus(1).age(100).queue("long", queue);
    JobBuilder hourly = scene.job("hourly").gpus(1).age(50);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(ofQueue)).isFalse();
    assertThat(plan.starts(hourly)).isTrue();
  }

  /** Fails when a share of a GPU is estimated as a whole GPU before its placement is known. */
  @Test
  void memoryShareAndSliceAreEstimatedAsTheirFraction() {
    scene.cluster("eu-2", ClusterState.ACTIVE, CapacityType.RESERVED, true).nodes(1, 1, "H100");
    scene.cuts("eu-1");
    ofTenant(Budget.Mode.HARD, 1, 0, 0);
    // a quarter of an H100, and two eighths of one
    GpuRequest quarter = new GpuRequest(Kind.MEMORY, 0, 0, 20_389, null, List.of(), 0);
    GpuRequest eighths = new GpuRequest(Kind.MIG, 2, 0, 0, "1g.10gb", List.of(), 0);
    JobBuilder share = scene.job("share").gpu(quarter).maxRuntime(Duration.ofHours(2)).age(100);
    JobBuilder slices = scene.job("slices").gpu(eighths).maxRuntime(Duration.ofHours(1)).age(50);
    JobBuilder more = scene.job("more").gpu(eighths).maxRuntime(Duration.ofHours(1)).age(20);
    JobBuilder over = scene.job("over").gpu(eighths).maxRuntime(Duration.ofHours(1)).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(List.of(share, slices, more)).allMatch(plan::starts);
    assertThat(plan.first(over).reason()).isEqualTo(Reason.BUDGET_SPENT);
  }

  /** Fails when an unreadable budget blocks no job. */
  @Test
  void unreadableBudgetAdmitsNothing() {
    ofTenant(Budget.Mode.UNREADABLE, 100, 0, 0);
    JobBuilder job = job("job");

    Blocker why = scene.plan().first(job);

    assertThat(why.message()).contains("cannot be read");
  }

  private static final BudgetUnit EUR = new BudgetUnit("EUR");

  private void euros(long amount) {
    BigInteger euros = EUR.amount(BigDecimal.valueOf(amount)).orElseThrow();
    BudgetScope scope = new BudgetScope(Scene.TENANT, null, null, null);
    BudgetId id = new BudgetId(new UUID(6, scene.budgets.size() + 1));
    Budget budget =
        new Budget(
            id,
            scope,
            "money",
            EUR,
            euros,
            BudgetPeriod.MONTH,
            Budget.Mode.HARD,
            BudgetExhaustedPolicy.FINISH,
            List.of(),
            List.of(),
            1);
    scene.budgets.add(new BudgetState(budget, new TreeMap<>()));
  }

  /**
   * Fails when money is not deducted within a cycle, or the most expensive placement is not
   * reserved.
   */
  @Test
  void jobReservesMoneyForTheMostExpensiveFeasibleNode() {
    scene.cluster("dear", ClusterState.ACTIVE, CapacityType.ON_DEMAND, true).nodes(1, 8, "H100");
    scene.costs("eu-1", "H100", CapacityType.RESERVED, new Money(1_000_000, "EUR"));
    scene.costs("dear", "H100", CapacityType.ON_DEMAND, new Money(4_000_000, "EUR"));
    euros(30);
    JobBuilder anywhere = job("anywhere").age(100);
    JobBuilder second = job("second").age(80);
    JobBuilder cheap = job("cheap").on("eu-1").age(50);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(anywhere)).isTrue();
    assertThat(plan.first(second).message())
        .satisfies(
            reason(
                "budget.budget-money-eur-spent",
                0,
                "EUR",
                24,
                30,
                24,
                8,
                18,
                "2026-04-01T00:00:00Z"));
    assertThat(plan.first(second).numbers()).containsEntry("missingMicros", 18_000_000L);
    assertThat(plan.first(second).action()).contains("18 EUR", "cheaper capacity");
    assertThat(plan.starts(cheap)).isTrue();
  }

  /** Fails when capacity without a price counts as expensive, or dollars count as euros. */
  @Test
  void moneyBudgetBlocksNothingWithoutAPriceInItsCurrency() {
    scene.costs("eu-1", "H100", CapacityType.RESERVED, new Money(9_000_000, "USD"));
    euros(0);
    JobBuilder job = job("job");

    assertThat(scene.plan().starts(job)).isTrue();
  }
}
