package dev.fairlead.money.budget;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Budgets locked by this transaction, with its changes. A reservation is one row of an attempt and
 * a budget: it is settled by the removal of that row, so nothing counts twice.
 */
public final class BudgetBook {
  private final long nowMillis;
  private final Costs costs;
  private final SortedMap<BudgetId, BudgetState> before = new TreeMap<>();
  private final SortedMap<BudgetId, BudgetState> states = new TreeMap<>();
  private final SortedMap<Key, BudgetCharge> charges = new TreeMap<>();
  private final SortedSet<Key> changed = new TreeSet<>();
  private final SortedSet<Key> settled = new TreeSet<>();

  private record Key(UUID attempt, BudgetId budget) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byAttempt = attempt.compareTo(other.attempt);
      return byAttempt != 0 ? byAttempt : budget.compareTo(other.budget);
    }
  }

  /**
   * Use of GPUs that has ended.
   *
   * @param milli thousandths of GPUs
   */
  public record Used(UUID attempt, BudgetPlace place, long milli, long fromMillis, long toMillis) {}

  /**
   * Facts for budgets in money.
   *
   * @param prices the price book of all tenants
   * @param held thousandths of GPUs by place, for attempts that this transaction moves and attempts
   *     with an expired reservation, empty if only GPU-hours are counted
   */
  public record Costs(BudgetPrices prices, Map<UUID, Map<BudgetPlace, Long>> held) {
    public static final Costs NONE = new Costs(BudgetPrices.NONE, Map.of());
  }

  /**
   * @param nowMillis the time of the database, in milliseconds since 1970
   * @param charges expired charges, and charges of attempts that this transaction moves
   */
  public BudgetBook(
      long nowMillis,
      Costs costs,
      Collection<BudgetState> locked,
      Collection<BudgetCharge> charges) {
    this.nowMillis = nowMillis;
    this.costs = costs;
    locked.forEach(state -> before.put(state.budget().id(), state));
    states.putAll(before);
    charges.forEach(charge -> this.charges.put(new Key(charge.attempt(), charge.budget()), charge));
  }

  public long nowMillis() {
    return nowMillis;
  }

  /**
   * Attempts that run longer than their reservation get another hour each, regardless of the
   * remainder. If the hour exceeds the remainder of a budget that stops jobs, they are marked as
   * exhausted.
   */
  public void renew() {
    for (BudgetCharge charge : List.copyOf(charges.values())) {
      if (charge.untilMillis() <= nowMillis) {
        BudgetState then = state(charge.budget());
        enlarge(charge.exhausted(0), charge.milli(), nowMillis + Budget.RENEWED.toMillis());
        if (then.budget().stops() && state(charge.budget()).shortfall(then, nowMillis) != null) {
          Key key = new Key(charge.attempt(), charge.budget());
          charges.computeIfPresent(key, (_, renewed) -> renewed.exhausted(nowMillis));
        }
      }
    }
  }

  /**
   * The charge of past time does not change. The charge of later time never decreases, and added
   * time counts at its own price. GPU-hours count from the start, because older versions have no
   * other charges of them.
   */
  private void enlarge(BudgetCharge charge, long milli, long until) {
    Budget budget = state(charge.budget()).budget();
    long from = charge.passedMillis(budget.unit(), nowMillis);
    long own = weight(charge.budget(), charge.attempt(), milli, from, until);
    long weight = from < charge.untilMillis() ? Math.max(own, charge.weight()) : own;
    BudgetCharge next = charge.from(from, weight, budget.period()).of(milli, until);
    if (!next.equals(charge)) {
      state(charge.budget(), state(charge.budget()).without(charge).with(next));
      put(next);
    }
  }

  private long weight(BudgetId budget, UUID attempt, long milli, long from, long until) {
    Map<BudgetPlace, Long> held = costs.held.getOrDefault(attempt, Map.of());
    return costs.prices.weight(state(budget).budget().unit(), held, milli, from, until);
  }

  /**
   * Reserves in every budget of the scope, or returns a budget with too little and reserves
   * nothing.
   *
   * @param job names every part
   * @param milli thousandths of GPUs. 0 reserves nothing
   */
  public Optional<Budget> reserve(BudgetScope job, UUID attempt, long milli, long millis) {
    List<BudgetState> of = states.values().stream().filter(s -> covers(s, job)).toList();
    long until = nowMillis + millis;
    if (milli == 0) {
      return Optional.empty();
    }
    List<BudgetCharge> charges = new ArrayList<>();
    for (BudgetState state : of) {
      BudgetId budget = state.budget().id();
      long weight = weight(budget, attempt, milli, nowMillis, until);
      if (state.budget().unreadable() || state.shortfall(weight, nowMillis, until) != null) {
        return Optional.of(state.budget());
      }
      charges.add(BudgetCharge.single(attempt, budget, milli, weight, nowMillis, until));
    }
    charges.forEach(this::hold);
    return Optional.empty();
  }

  /** Returns whether a budget counts the job. */
  public boolean covers(BudgetScope job) {
    return states.values().stream().anyMatch(state -> covers(state, job));
  }

  private static boolean covers(BudgetState state, BudgetScope job) {
    return state.budget().counts() && state.budget().scope().covers(job);
  }

  /**
   * An attempt held GPUs before the budget was created. In a budget of money, each past hour counts
   * at its price.
   *
   * @param sinceMillis time of the first allocation
   */
  public void hold(BudgetId id, UUID attempt, long milli, long sinceMillis) {
    Budget budget = state(id).budget();
    long now = Math.max(nowMillis, sinceMillis);
    long until = now + Budget.RENEWED.toMillis();
    long from = budget.unit().money() ? now : sinceMillis;
    long weight = weight(id, attempt, milli, from, until);
    SortedMap<Long, BigInteger> passed = passed(budget, attempt, sinceMillis, from);
    hold(
        BudgetChargeBuilder.builder()
            .attempt(attempt)
            .budget(id)
            .milli(milli)
            .weight(weight)
            .sinceMillis(sinceMillis)
            .untilMillis(until)
            .pricedMillis(from)
            .passed(passed)
            .exhaustedMillis(0)
            .build());
  }

  private SortedMap<Long, BigInteger> passed(Budget budget, UUID attempt, long from, long to) {
    BudgetState sum = new BudgetState(budget, new TreeMap<>());
    for (Map.Entry<BudgetPlace, Long> part :
        costs.held.getOrDefault(attempt, Map.of()).entrySet()) {
      Used used = new Used(attempt, part.getKey(), part.getValue(), from, to);
      sum = sum.spending(used, costs.prices);
    }
    SortedMap<Long, BigInteger> passed = new TreeMap<>();
    sum.uses().forEach((begin, use) -> passed.put(begin, use.spent()));
    return passed;
  }

  private void hold(BudgetCharge charge) {
    state(charge.budget(), state(charge.budget()).with(charge));
    put(charge);
  }

  /**
   * The amount that one budget lacks for a reservation, in its unit.
   *
   * @param state before the reservation
   * @param period start of the period with the largest shortage
   * @param needed the reserved amount of that period
   */
  public record Shortfall(BudgetState state, long period, BigInteger needed, BigInteger missing) {}

  /**
   * Extends the attempt's reservation to this time after its start, if the reservation ends
   * earlier. Returns the shortfall if a budget has too little. The book must not be written in that
   * case.
   */
  public Optional<Shortfall> lengthen(UUID attempt, long millis) {
    for (BudgetCharge charge : of(attempt)) {
      long until = charge.sinceMillis() + millis;
      if (until > charge.untilMillis()) {
        Optional<Shortfall> lacking = lacking(charge, () -> enlarge(charge, charge.milli(), until));
        if (lacking.isPresent()) {
          return lacking;
        }
      }
    }
    return Optional.empty();
  }

  /** Applies the change, and reverts it if it exceeds the budget. */
  private Optional<Shortfall> lacking(BudgetCharge charge, Runnable change) {
    BudgetState before = state(charge.budget());
    change.run();
    Shortfall lacking = state(charge.budget()).shortfall(before, nowMillis);
    if (lacking == null) {
      return Optional.empty();
    }
    state(charge.budget(), before);
    put(charge);
    return Optional.of(lacking);
  }

  /**
   * Removes the attempt's own runtime. The attempt then reserves the default of its queue, or
   * without a default the hour after its runtime, if that is later than the current reservation.
   * Returns the shortfall if a budget has too little. The book must not be written in that case.
   *
   * @param runtime the removed runtime
   * @param ofQueue the default, null if none
   */
  public Optional<Shortfall> unbind(UUID attempt, Duration runtime, @Nullable Duration ofQueue) {
    Duration most = ofQueue == null ? runtime.plus(Budget.RENEWED) : ofQueue;
    return lengthen(attempt, Budget.reserved(most, null));
  }

  /**
   * Reserves at least this amount, so that members may join the attempt. In a budget of money, the
   * new amount counts from the current time. If a budget has too little left, returns that budget,
   * and the caller must not write the book.
   *
   * @param milli thousandths of GPUs, including the current ones
   */
  public Optional<Shortfall> widen(UUID attempt, long milli) {
    for (BudgetCharge charge : of(attempt)) {
      if (milli > charge.milli()) {
        Optional<Shortfall> lacking =
            lacking(charge, () -> enlarge(charge, milli, charge.untilMillis()));
        if (lacking.isPresent()) {
          return lacking;
        }
      }
    }
    return Optional.empty();
  }

  /** Members joined the attempt: reserves at least this amount, even beyond the remainder. */
  public void grow(UUID attempt, long milli) {
    of(attempt)
        .forEach(charge -> enlarge(charge, Math.max(milli, charge.milli()), charge.untilMillis()));
  }

  /**
   * Replaces the reservation of an ended attempt by its usage. Without a reservation, nothing is
   * spent.
   *
   * @param used use of this attempt and others
   */
  public void settle(UUID attempt, Collection<Used> used) {
    for (BudgetCharge charge : of(attempt)) {
      state(charge.budget(), state(charge.budget()).without(charge));
      used.stream()
          .filter(use -> use.attempt().equals(attempt))
          .forEach(use -> spend(charge.budget(), use));
      Key key = new Key(attempt, charge.budget());
      charges.remove(key);
      changed.remove(key);
      settled.add(key);
    }
  }

  private void spend(BudgetId budget, Used use) {
    state(budget, state(budget).spending(use, costs.prices));
  }

  /** Thresholds that are reached now are announced. */
  public List<Integer> alert(BudgetId budget) {
    List<Integer> due = state(budget).due(nowMillis);
    if (!due.isEmpty()) {
      state(budget, state(budget).alerted(nowMillis, due.getLast()));
    }
    return due;
  }

  private List<BudgetCharge> of(UUID attempt) {
    return charges.values().stream().filter(c -> c.attempt().equals(attempt)).toList();
  }

  private void put(BudgetCharge charge) {
    Key key = new Key(charge.attempt(), charge.budget());
    charges.put(key, charge);
    changed.add(key);
  }

  private void state(BudgetId budget, BudgetState next) {
    states.put(budget, next);
  }

  /** Returns the state of the budget with the changes. */
  public BudgetState state(BudgetId budget) {
    BudgetState state = states.get(budget);
    if (state == null) {
      throw new IllegalArgumentException("not locked: " + budget.text());
    }
    return state;
  }

  /** All locked rows. */
  public List<BudgetState> states() {
    return List.copyOf(states.values());
  }

  /** Amounts added to each period of the budget, by its start. */
  public SortedMap<Long, BudgetUse> added(BudgetId budget) {
    BudgetState then = before.get(budget);
    SortedMap<Long, BudgetUse> added = new TreeMap<>();
    state(budget)
        .uses()
        .forEach((begin, use) -> {
          BudgetUse was = then == null ? BudgetUse.NOTHING : then.use(begin);
          if (!use.equals(was)) {
            added.put(begin, use.beyond(was));
          }
        });
    return added;
  }

  /** Rows to write: new rows, or rows with another amount or end. */
  public List<BudgetCharge> changedCharges() {
    List<BudgetCharge> rows = new ArrayList<>();
    for (Key key : changed) {
      BudgetCharge charge = charges.get(key);
      if (charge != null) {
        rows.add(charge);
      }
    }
    return rows;
  }

  /** Settled reservations, as pairs of attempt and budget. */
  public List<BudgetCharge> settledCharges() {
    return settled.stream()
        .map(key -> BudgetCharge.single(key.attempt(), key.budget(), 0, 0, 0, 0))
        .toList();
  }
}
