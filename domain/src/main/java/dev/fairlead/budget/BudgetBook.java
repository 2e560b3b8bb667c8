package dev.fairlead.budget;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Budgets that this transaction has locked, and what it changes of them. A reservation is one row
 * of an attempt and a budget: it is settled by the removal of that row, so nothing counts twice.
 */
public final class BudgetBook {
  private final long nowMillis;
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
  public record Used(UUID attempt, long milli, long fromMillis, long toMillis) {}

  /**
   * @param nowMillis the time of the database, in milliseconds since 1970
   * @param charges those whose time is over, and those of attempts that this transaction moves
   */
  public BudgetBook(
      long nowMillis, Collection<BudgetState> locked, Collection<BudgetCharge> charges) {
    this.nowMillis = nowMillis;
    locked.forEach(state -> before.put(state.budget().id(), state));
    states.putAll(before);
    charges.forEach(charge -> this.charges.put(new Key(charge.attempt(), charge.budget()), charge));
  }

  public long nowMillis() {
    return nowMillis;
  }

  /**
   * Attempts that last longer than was reserved for them get another hour each, whatever is left.
   */
  public void renew() {
    for (BudgetCharge charge : List.copyOf(charges.values())) {
      if (charge.untilMillis() <= nowMillis) {
        long until = nowMillis + Budget.RENEWED.toMillis();
        reserve(charge.budget(), charge.milli(), charge.untilMillis(), until);
        put(charge.until(until));
      }
    }
  }

  /**
   * Reserves in every budget of the scope, or tells which one has too little and reserves nothing.
   *
   * @param job names every part
   * @param milli thousandths of GPUs; 0 reserves nothing
   */
  public Optional<Budget> reserve(BudgetScope job, UUID attempt, long milli, long millis) {
    List<BudgetState> of = states.values().stream().filter(s -> covers(s, job)).toList();
    long until = nowMillis + millis;
    for (BudgetState state : of) {
      if (state.missing(milli, nowMillis, until) > 0) {
        return Optional.of(state.budget());
      }
    }
    if (milli > 0) {
      of.forEach(state -> charge(attempt, state.budget().id(), milli, until));
    }
    return Optional.empty();
  }

  /** Whether a budget counts the job. */
  public boolean covers(BudgetScope job) {
    return states.values().stream().anyMatch(state -> covers(state, job));
  }

  private static boolean covers(BudgetState state, BudgetScope job) {
    return state.budget().scope().covers(job);
  }

  private void charge(UUID attempt, BudgetId budget, long milli, long until) {
    hold(new BudgetCharge(attempt, budget, milli, nowMillis, until));
  }

  /** An attempt held GPUs before the budget was made. */
  public void hold(BudgetCharge charge) {
    reserve(charge.budget(), charge.milli(), charge.sinceMillis(), charge.untilMillis());
    put(charge);
  }

  /**
   * What one budget has too little.
   *
   * @param missing in thousandths of a GPU times milliseconds
   */
  public record Shortfall(BudgetState state, long missing) {}

  /**
   * Reserves what the attempt holds until so long after its begin, if that is later than now
   * reserved; or tells which budget has too little, and the book is not to be written.
   */
  public Optional<Shortfall> lengthen(UUID attempt, long millis) {
    for (BudgetCharge charge : of(attempt)) {
      long from = charge.untilMillis();
      long until = Math.max(from, charge.sinceMillis() + millis);
      BudgetState state = state(charge.budget());
      long missing = state.missing(charge.milli(), nowMillis, from, until);
      if (missing > 0) {
        return Optional.of(new Shortfall(state, missing));
      }
      if (until > from) {
        reserve(charge.budget(), charge.milli(), from, until);
        put(charge.until(until));
      }
    }
    return Optional.empty();
  }

  /**
   * The attempt has no runtime of its own any more: it reserves what the default of its queue asks
   * for, or without a default the hour after its runtime, if that is later than now reserved; or
   * tells which budget has too little, and the book is not to be written.
   *
   * @param runtime that it had
   * @param ofQueue the default, null for none
   */
  public Optional<Shortfall> unbind(UUID attempt, Duration runtime, @Nullable Duration ofQueue) {
    Duration most = ofQueue == null ? runtime.plus(Budget.RENEWED) : ofQueue;
    return lengthen(attempt, Budget.reserved(most, null));
  }

  /**
   * Members may join the attempt: it reserves at least so much from its begin on, or tells which
   * budget has too little, and the book is not to be written.
   *
   * @param milli thousandths of GPUs, with those that it has
   */
  public Optional<Shortfall> widen(UUID attempt, long milli) {
    for (BudgetCharge charge : of(attempt)) {
      long more = Math.max(0, milli - charge.milli());
      BudgetState state = state(charge.budget());
      long missing = state.missing(more, nowMillis, charge.sinceMillis(), charge.untilMillis());
      if (missing > 0) {
        return Optional.of(new Shortfall(state, missing));
      }
      widen(charge, more);
    }
    return Optional.empty();
  }

  /** Members joined the attempt, whatever is left: it holds at least so much. */
  public void grow(UUID attempt, long milli) {
    of(attempt).forEach(charge -> widen(charge, milli - charge.milli()));
  }

  private void widen(BudgetCharge charge, long more) {
    if (more > 0) {
      reserve(charge.budget(), more, charge.sinceMillis(), charge.untilMillis());
      put(charge.of(charge.milli() + more));
    }
  }

  /**
   * The attempt has ended: what it used takes the place of what was reserved for it. Without a
   * reservation nothing is spent.
   *
   * @param used of this attempt and others
   */
  public void settle(UUID attempt, Collection<Used> used) {
    for (BudgetCharge charge : of(attempt)) {
      reserve(charge.budget(), -charge.milli(), charge.sinceMillis(), charge.untilMillis());
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
    state(budget, state(budget).spending(use.milli(), use.fromMillis(), use.toMillis()));
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

  private void reserve(BudgetId budget, long milli, long from, long until) {
    state(budget, state(budget).reserving(milli, from, until));
  }

  private void state(BudgetId budget, BudgetState next) {
    states.put(budget, next);
  }

  /** As it is with the changes. */
  public BudgetState state(BudgetId budget) {
    BudgetState state = states.get(budget);
    if (state == null) {
      throw new IllegalArgumentException("not locked: " + budget.text());
    }
    return state;
  }

  /** All that are locked. */
  public List<BudgetState> states() {
    return List.copyOf(states.values());
  }

  /** What came to each period of the budget, by its begin. */
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

  /** To be written: new, or with another amount or end. */
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

  /** Attempts and budgets whose reservation is settled, as a pair each. */
  public List<BudgetCharge> settledCharges() {
    return settled.stream()
        .map(key -> new BudgetCharge(key.attempt(), key.budget(), 0, 0, 0))
        .toList();
  }
}
