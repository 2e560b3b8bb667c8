package dev.fairlead.money.budget.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetRecount;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.money.budget.OverdrawingAttempt;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BudgetLoopTest {
  private static final long NOW = Instant.parse("2026-11-15T00:00:00Z").toEpochMilli();
  private static final long NOVEMBER = BudgetPeriod.MONTH.begin(NOW);
  private static final long DAY = Duration.ofDays(1).toMillis();

  private final MemoryStores stores = MemoryStores.empty(1);
  private final Kept kept = new Kept();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private long nanos;
  private final BudgetLoop loop =
      new BudgetLoop(
          new Leases(
              stores.leases(),
              new LeaseTimes(
                  Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
              () -> nanos,
              "me"),
          kept,
          kept::meets,
          stores.transactions(),
          metrics);

  private static BudgetId id(int number) {
    return new BudgetId(new UUID(5, number));
  }

  private static BudgetState state(int number, long spentHours) {
    Budget budget =
        new Budget(
            id(number),
            new BudgetScope(new TenantId(new UUID(1, 1)), null, null, null),
            "budget-" + number,
            BudgetUnit.GPU_HOURS,
            BudgetTimes.hours(10),
            BudgetPeriod.MONTH,
            Budget.Mode.HARD,
            BudgetExhaustedPolicy.FINISH,
            List.of(50, 80),
            List.of(),
            1);
    BudgetUse use = BudgetTimes.use(spentHours, 0);
    return new BudgetState(budget, new TreeMap<>(Map.of(NOVEMBER, use)));
  }

  /** Budgets in memory, with a record of all changes. */
  private static final class Kept implements BudgetStore {
    private final SortedMap<BudgetId, BudgetState> states = new TreeMap<>();
    private final List<String> told = new ArrayList<>();
    private final List<OverdrawingAttempt> standing = new ArrayList<>();
    private final Set<UUID> broken = new TreeSet<>();
    private @Nullable BudgetId unreadable;
    private final List<BudgetId> counted = new ArrayList<>();
    private final List<Long> readFrom = new ArrayList<>();
    private long closedTo = NOVEMBER + DAY;
    private long now = NOVEMBER + DAY;
    private int failing;
    private final List<BudgetRecount.Drift> drifts = new ArrayList<>();

    private void put(BudgetState state) {
      states.put(state.budget().id(), state);
    }

    @Override
    public List<BudgetState> budgets(TenantId tenant) {
      return states();
    }

    @Override
    public List<BudgetState> states() {
      return List.copyOf(states.values());
    }

    @Override
    public SortedMap<BudgetId, BigInteger> running(Collection<Budget> budgets, long nowMillis) {
      return Collections.emptySortedMap();
    }

    @Override
    public long now() {
      return now;
    }

    @Override
    public long closedTo() {
      return closedTo;
    }

    @Override
    public ClosedUse closedDay(Budget budget, ClosedUse known) {
      readFrom.add(known.toMillis());
      if (readFrom.size() == failing) {
        throw new IllegalStateException("the database went away");
      }
      long from = Math.max(NOVEMBER, known.toMillis());
      return new ClosedUse(NOVEMBER, Math.min(from + DAY, closedTo), BudgetSpent.NOTHING);
    }

    private boolean meets(OverdrawingAttempt attempt) {
      if (broken.contains(attempt.attempt())) {
        throw new IllegalStateException("it cannot be written");
      }
      return true;
    }

    @Override
    public Optional<BudgetState> state(BudgetId budget) {
      return Optional.ofNullable(states.get(budget));
    }

    @Override
    public List<OverdrawingAttempt> overdrawing(@Nullable OverdrawingAttempt after, int limit) {
      return standing.stream()
          .filter(one -> after == null || one.exhaustedMillis() > after.exhaustedMillis())
          .limit(limit)
          .toList();
    }

    @Override
    public void enforced(OverdrawingAttempt attempt) {
      standing.remove(attempt);
    }

    @Override
    public void insert(Budget budget, ClosedUse closed, boolean trial) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void update(Budget budget) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void delete(Budget budget) {
      states.remove(budget.id());
    }

    @Override
    public BudgetBook lock(
        Collection<TenantId> tenants, Collection<BudgetScope> jobs, Collection<UUID> attempts) {
      throw new UnsupportedOperationException();
    }

    @Override
    public BudgetBook lock(BudgetId budget) {
      if (budget.equals(unreadable)) {
        throw new IllegalStateException("its charges cannot be read");
      }
      return new BudgetBook(NOW, BudgetBook.Costs.NONE, List.of(states.get(budget)), List.of());
    }

    @Override
    public List<BudgetBook.Used> used(Collection<UUID> attempts) {
      return List.of();
    }

    @Override
    public void write(BudgetBook book) {
      book.states().forEach(this::put);
    }

    @Override
    public List<BudgetRecount.Drift> recount(BudgetId budget, ClosedUse closed) {
      if (budget.equals(unreadable)) {
        throw new IllegalStateException("its charges cannot be read");
      }
      counted.add(budget);
      List<BudgetRecount.Drift> found = List.copyOf(drifts);
      drifts.clear();
      return found;
    }

    @Override
    public List<BudgetId> due() {
      return List.of();
    }

    @Override
    public void tell(Budget budget, Fact fact) {
      told.add(budget.name() + " " + fact.data().get("percent"));
    }
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minusSeconds(5)) {
      nanos += Duration.ofSeconds(5).toNanos();
      loop.tick();
    }
  }

  private double drifts() {
    return metrics.counter("fairlead.counters.drift", "kind", "BUDGET").count();
  }

  /** Fails when a threshold is announced late, twice, or for a budget that has not reached it. */
  @Test
  void aThresholdIsAnnouncedOnceWithinAMinute() {
    kept.put(state(1, 6));
    kept.put(state(2, 1));

    pass(Duration.ofMinutes(3));

    assertThat(kept.told).containsExactly("budget-1 50");
  }

  /** Fails when a budget that cannot be renewed or verified ends the pass of all others. */
  @Test
  void unrenewableBudgetDelaysNoOther() {
    kept.put(state(1, 6));
    kept.put(state(2, 6));
    kept.put(state(3, 6));
    kept.unreadable = id(1);
    kept.standing.add(new OverdrawingAttempt(id(2), new UUID(9, 1), new JobId(new UUID(8, 1)), 1));

    pass(Duration.ofMinutes(4));

    assertThat(kept.told).containsExactly("budget-2 50", "budget-3 50");
    assertThat(kept.standing).isEmpty();
    assertThat(kept.counted).startsWith(id(2), id(3));
    assertThat(loop.passedOver()).isGreaterThan(1);
  }

  /** Fails when a budget is omitted, or closed hours are read again each time. */
  @Test
  void everyBudgetIsRecountedInTurn() {
    kept.put(state(1, 0));
    kept.put(state(2, 0));
    kept.put(state(3, 0));

    pass(Duration.ofMinutes(5));

    assertThat(kept.counted).startsWith(id(1), id(2), id(3), id(1));
    assertThat(kept.readFrom).startsWith(0L, 0L, 0L, NOVEMBER + DAY);
  }

  /** Fails when a single pass sums all days, or when a failure loses the days before it. */
  @Test
  void eachTurnSumsADayAndAFailureRetainsEarlierDays() {
    kept.put(state(1, 0));
    kept.now = NOVEMBER + 4 * DAY;
    kept.closedTo = kept.now;
    kept.failing = 3;
    nanos += Duration.ofMinutes(2).toNanos();
    assertThat(loop.tick()).isTrue();
    assertThat(loop.tick()).isTrue();
    assertThat(loop.tick()).isFalse();

    pass(Duration.ofMinutes(3));

    assertThat(kept.readFrom)
        .startsWith(0L, NOVEMBER + DAY, NOVEMBER + 2 * DAY, NOVEMBER + 2 * DAY);
  }

  /** Fails when days are read under the lock of a budget while hours do not close. */
  @Test
  void noBudgetIsCountedWhileHoursAreNotClosed() {
    kept.put(state(1, 0));
    kept.closedTo = kept.now - Duration.ofHours(3).toMillis() - 1;
    pass(Duration.ofMinutes(3));
    assertThat(kept.counted).isEmpty();

    kept.closedTo++;
    pass(Duration.ofMinutes(3));
    assertThat(kept.counted).contains(id(1));
  }

  /** Fails when a wrong counter is corrected without a log line. */
  @Test
  void aDriftIsCounted() {
    kept.put(state(1, 0));
    assertThat(drifts()).isZero();
    kept.drifts.add(new BudgetRecount.Drift(id(1), "spent", BigInteger.ONE, BigInteger.TWO));

    pass(Duration.ofMinutes(2));

    assertThat(drifts()).isEqualTo(1);
  }

  /** Fails when a deleted budget stops those after it. */
  @Test
  void countingContinuesAfterADeletedBudget() {
    kept.put(state(1, 0));
    kept.put(state(2, 0));
    pass(Duration.ofSeconds(40));
    kept.states.remove(id(1));

    pass(Duration.ofMinutes(2));

    assertThat(kept.counted).startsWith(id(1), id(2), id(2));
  }

  /** Fails when a failing attempt delays the others, or some wait for a minute. */
  @Test
  void exhaustedBudgetsAreHandledOneByOne() {
    kept.put(state(1, 1));
    for (int i = 0; i < 250; i++) {
      kept.standing.add(
          new OverdrawingAttempt(id(1), new UUID(9, i), new JobId(new UUID(8, i)), i));
    }
    kept.broken.add(new UUID(9, 7));
    nanos += Duration.ofMinutes(1).toNanos();
    int turns = 0;
    while (loop.tick()) {
      assertThat(turns++).isLessThan(20);
    }
    assertThat(kept.standing).hasSize(1);
  }

  /** Fails when a page of attempts that cannot be written hides the attempts after it. */
  @Test
  void attemptBehindAHundredFailingOnesIsStopped() {
    kept.put(state(1, 1));
    for (int i = 0; i < 101; i++) {
      kept.standing.add(
          new OverdrawingAttempt(id(1), new UUID(9, i), new JobId(new UUID(8, i)), i));
      kept.broken.add(new UUID(9, i));
    }
    kept.broken.remove(new UUID(9, 100));

    pass(Duration.ofMinutes(1));

    assertThat(kept.standing).hasSize(100).noneMatch(one -> one.exhaustedMillis() == 100);
  }
}
