package dev.fairlead.money.budget.memory;

import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetCharge;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPlace;
import dev.fairlead.money.budget.BudgetPrices;
import dev.fairlead.money.budget.BudgetRecount;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.money.budget.OverdrawingAttempt;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.event.memory.MemoryEventLog;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link BudgetStore}. */
public final class MemoryBudgetStore implements BudgetStore {
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final Comparator<OverdrawingAttempt> BY_EXHAUSTION =
      Comparator.comparingLong(OverdrawingAttempt::exhaustedMillis)
          .thenComparing(OverdrawingAttempt::attempt)
          .thenComparing(OverdrawingAttempt::budget);

  private final MemoryDatabase database;
  private final MemoryUses uses;
  private final PriceStore prices;
  private final MemoryEventLog events;
  private final MemoryTable<BudgetId, BudgetState> states;
  private final MemoryTable<Key, BudgetCharge> charges;
  private LongSupplier now;
  private LongSupplier closedTo = () -> 0;
  private boolean renews = true;

  private record Key(UUID attempt, BudgetId budget) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byAttempt = attempt.compareTo(other.attempt);
      return byAttempt != 0 ? byAttempt : budget.compareTo(other.budget);
    }
  }

  /**
   * @param now the believed time, in milliseconds since 1970
   */
  public MemoryBudgetStore(
      MemoryDatabase database,
      MemoryUses uses,
      PriceStore prices,
      MemoryEventLog events,
      LongSupplier now) {
    this.database = database;
    this.uses = uses;
    this.prices = prices;
    this.events = events;
    this.now = now;
    this.states = database.table();
    this.charges = database.table();
  }

  /** Sets the believed time and the begin of the first open hour from now on. */
  public void timedBy(LongSupplier believed, LongSupplier open) {
    now = believed;
    closedTo = open;
  }

  /** Makes this a twin that renews no reservation. */
  public void renewNothing() {
    renews = false;
  }

  @Override
  public List<BudgetState> budgets(TenantId tenant) {
    return states().stream()
        .filter(state -> state.budget().scope().tenant().equals(tenant))
        .sorted(Comparator.comparing(state -> state.budget().name()))
        .toList();
  }

  @Override
  public List<BudgetState> states() {
    return database.call(() -> List.copyOf(states.all()));
  }

  @Override
  public Optional<BudgetState> state(BudgetId budget) {
    return database.call(() -> states.find(budget));
  }

  @Override
  public SortedMap<BudgetId, BigInteger> running(Collection<Budget> budgets, long nowMillis) {
    SortedMap<BudgetId, BigInteger> used = new TreeMap<>();
    for (Budget budget : budgets) {
      long begin = budget.period().begin(nowMillis);
      charges(budget.id())
          .forEach(charge ->
              used.merge(budget.id(), running(charge, begin, nowMillis), BigInteger::add));
    }
    return used;
  }

  private static BigInteger running(BudgetCharge charge, long begin, long nowMillis) {
    long millis = Math.max(0, nowMillis - Math.max(charge.pricedMillis(), begin));
    return charge
        .passed()
        .getOrDefault(begin, BigInteger.ZERO)
        .add(BigInteger.valueOf(charge.weight()).multiply(BigInteger.valueOf(millis)));
  }

  @Override
  public long now() {
    return now.getAsLong();
  }

  @Override
  public long closedTo() {
    return closedTo.getAsLong();
  }

  @Override
  public ClosedUse closedDay(Budget budget, ClosedUse known) {
    long begin = budget.period().begin(now());
    ClosedUse before = of(begin, known);
    long after = before.toMillis();
    long to = Math.min(after + DAY, closedTo());
    if (to <= after) {
      return before;
    }
    BudgetSpent more =
        database.call(() ->
            sum(
                budget,
                begin,
                uses.ended()
                    .filter(use -> budget.scope().covers(use.owner()))
                    .filter(use -> use.toMillis() >= after && use.toMillis() < to)
                    .toList()));
    return new ClosedUse(begin, to, before.used().plus(more));
  }

  private static ClosedUse of(long begin, ClosedUse closed) {
    return closed.fromMillis() == begin ? closed : ClosedUse.upTo(begin, begin);
  }

  /** Adds up uses from the begin of a period on. */
  private BudgetSpent sum(Budget budget, long beginMillis, List<MemoryUses.Use> of) {
    BudgetPrices book = new BudgetPrices(prices.book());
    long end = budget.period().end(beginMillis) - 1;
    PriceSpans spans = book.spans(budget.unit(), beginMillis, end);
    List<Long> begins = spans.begins();
    BudgetSpent sum = BudgetSpent.NOTHING;
    for (MemoryUses.Use use : of) {
      for (int i = 0; i < begins.size(); i++) {
        long from = Math.max(use.fromMillis(), begins.get(i));
        long next = i + 1 < begins.size() ? begins.get(i + 1) : Long.MAX_VALUE;
        long millis = Math.min(use.toMillis(), next) - from;
        if (millis > 0) {
          BigInteger time = BigInteger.valueOf(use.milli()).multiply(BigInteger.valueOf(millis));
          sum = sum.plus(BudgetPrices.spent(budget.unit(), spans, i, use.place(), time));
        }
      }
    }
    return sum;
  }

  @Override
  public void insert(Budget budget, ClosedUse closed, boolean trial) {
    database.run(() -> {
      if (budgets(budget.scope().tenant()).stream()
          .anyMatch(state -> state.budget().name().equals(budget.name()))) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, budget.name());
      }
      states.put(budget.id(), new BudgetState(budget, new TreeMap<>()));
      if (!trial) {
        open(budget, closed);
      }
    });
  }

  /** Charges the past and current usage of its jobs. */
  private void open(Budget budget, ClosedUse closed) {
    SortedMap<UUID, List<MemoryUses.Use>> held =
        uses.held()
            .filter(use -> budget.scope().covers(use.owner()))
            .collect(
                Collectors.groupingBy(MemoryUses.Use::attempt, TreeMap::new, Collectors.toList()));
    BudgetBook book =
        new BudgetBook(
            now(), costs(held.keySet()), List.of(state(budget.id()).orElseThrow()), List.of());
    held.forEach((attempt, its) ->
        book.hold(
            budget.id(),
            attempt,
            its.stream().mapToLong(MemoryUses.Use::milli).sum(),
            its.stream().mapToLong(MemoryUses.Use::fromMillis).min().orElseThrow()));
    write(book);
    long begin = budget.period().begin(now());
    SortedMap<Long, BudgetUse> spent = new TreeMap<>();
    spent.put(begin, new BudgetUse(spent(budget, begin, closed), BigInteger.ZERO, 0));
    add(budget.id(), spent);
  }

  /** In the period, by attempts that are not charged. */
  private BudgetSpent spent(Budget budget, long begin, ClosedUse closed) {
    ClosedUse before = of(begin, closed);
    Set<UUID> charged =
        charges(budget.id()).stream().map(BudgetCharge::attempt).collect(Collectors.toSet());
    List<MemoryUses.Use> of =
        uses.ended().filter(use -> budget.scope().covers(use.owner())).toList();
    List<MemoryUses.Use> since =
        of.stream()
            .filter(use -> use.toMillis() >= before.toMillis())
            .filter(use -> !charged.contains(use.attempt()))
            .toList();
    List<MemoryUses.Use> counted =
        of.stream()
            .filter(use -> use.toMillis() < before.toMillis())
            .filter(use -> charged.contains(use.attempt()))
            .toList();
    BudgetSpent again = sum(budget, begin, counted);
    return before
        .used()
        .plus(sum(budget, begin, since))
        .plus(new BudgetSpent(again.amount().negate(), again.unpriced().negate()));
  }

  private void add(BudgetId budget, SortedMap<Long, BudgetUse> added) {
    BudgetState state = state(budget).orElseThrow();
    SortedMap<Long, BudgetUse> next = new TreeMap<>(state.uses());
    added.forEach((begin, more) -> {
      BudgetUse was = state.use(begin);
      next.put(
          begin,
          new BudgetUse(
              was.used().plus(more.used()),
              was.reserved().add(more.reserved()),
              Math.max(was.alerted(), more.alerted())));
    });
    states.put(budget, new BudgetState(state.budget(), next));
  }

  @Override
  public void update(Budget budget) {
    database.run(() -> {
      BudgetState stored = stored(budget, budget.version() - 1);
      states.put(budget.id(), new BudgetState(budget, stored.uses()));
    });
  }

  @Override
  public void delete(Budget budget) {
    database.run(() -> {
      BudgetState _ = stored(budget, budget.version());
      states.remove(budget.id());
      charges(budget.id()).forEach(charge -> charges.remove(key(charge)));
    });
  }

  private BudgetState stored(Budget budget, long version) {
    return states
        .find(budget.id())
        .filter(state -> state.budget().version() == version)
        .filter(state -> state.budget().scope().tenant().equals(budget.scope().tenant()))
        .orElseThrow(() -> new Conflict(Conflict.Guard.VERSION, budget.name()));
  }

  private static Key key(BudgetCharge charge) {
    return new Key(charge.attempt(), charge.budget());
  }

  private List<BudgetCharge> charges(BudgetId budget) {
    return database.call(
        () -> charges.all().stream().filter(charge -> charge.budget().equals(budget)).toList());
  }

  @Override
  public BudgetBook lock(
      Collection<TenantId> tenants, Collection<BudgetScope> jobs, Collection<UUID> attempts) {
    if (states.all().isEmpty()) {
      return book(new TreeSet<>(), attempts);
    }
    SortedSet<BudgetId> locked = new TreeSet<>();
    charges.all().stream()
        .filter(charge -> attempts.contains(charge.attempt()))
        .forEach(charge -> locked.add(charge.budget()));
    states.all().stream()
        .map(BudgetState::budget)
        .filter(budget -> jobs.stream().anyMatch(job -> budget.scope().covers(job)))
        .forEach(budget -> locked.add(budget.id()));
    return book(locked, attempts);
  }

  @Override
  public BudgetBook lock(BudgetId budget) {
    return book(states.has(budget) ? Set.of(budget) : Set.of(), List.of());
  }

  private BudgetBook book(Set<BudgetId> locked, Collection<UUID> attempts) {
    if (locked.isEmpty()) {
      return new BudgetBook(0, BudgetBook.Costs.NONE, List.of(), List.of());
    }
    long time = now();
    List<BudgetCharge> moved =
        charges.all().stream()
            .filter(charge -> locked.contains(charge.budget()))
            .filter(charge -> charge.untilMillis() <= time || attempts.contains(charge.attempt()))
            .toList();
    SortedSet<UUID> moving = new TreeSet<>(attempts);
    moved.forEach(charge -> moving.add(charge.attempt()));
    List<BudgetState> of = locked.stream().sorted().map(id -> state(id).orElseThrow()).toList();
    BudgetBook book = new BudgetBook(time, costs(moving), of, moved);
    if (renews) {
      book.renew();
    }
    return book;
  }

  private BudgetBook.Costs costs(Collection<UUID> attempts) {
    SortedMap<UUID, Map<BudgetPlace, Long>> held = new TreeMap<>();
    for (UUID attempt : attempts) {
      uses.held(attempt)
          .values()
          .forEach(use ->
              held.computeIfAbsent(attempt, a -> new LinkedHashMap<>())
                  .merge(use.place(), use.milli(), Long::sum));
    }
    return new BudgetBook.Costs(new BudgetPrices(prices.book()), held);
  }

  @Override
  public List<BudgetBook.Used> used(Collection<UUID> attempts) {
    return new TreeSet<>(attempts)
        .stream()
            .flatMap(attempt -> uses.ended(attempt).stream())
            .map(use ->
                new BudgetBook.Used(
                    use.attempt(), use.place(), use.milli(), use.fromMillis(), use.toMillis()))
            .toList();
  }

  @Override
  public void write(BudgetBook book) {
    book.states().forEach(state -> add(state.budget().id(), book.added(state.budget().id())));
    book.settledCharges().forEach(charge -> charges.remove(key(charge)));
    book.changedCharges().forEach(charge -> charges.put(key(charge), charge));
  }

  @Override
  public List<BudgetRecount.Drift> recount(BudgetId id, ClosedUse closed) {
    write(lock(id));
    return state(id).stream().flatMap(state -> recounted(state, closed).stream()).toList();
  }

  private List<BudgetRecount.Drift> recounted(BudgetState state, ClosedUse closed) {
    Budget budget = state.budget();
    long begin = budget.period().begin(now());
    BudgetRecount recount =
        new BudgetRecount(state, charges(budget.id()), begin, spent(budget, begin, closed));
    add(budget.id(), recount.missing());
    return recount.drifts();
  }

  @Override
  public List<BudgetId> due() {
    return database.call(() ->
        charges.all().stream()
            .filter(charge -> charge.untilMillis() <= now())
            .map(BudgetCharge::budget)
            .distinct()
            .sorted()
            .toList());
  }

  @Override
  public List<OverdrawingAttempt> overdrawing(@Nullable OverdrawingAttempt after, int limit) {
    return database.call(() ->
        charges.all().stream()
            .filter(charge -> charge.exhaustedMillis() > 0)
            .flatMap(charge ->
                uses.held(charge.attempt()).values().stream()
                    .limit(1)
                    .map(use ->
                        new OverdrawingAttempt(
                            charge.budget(),
                            charge.attempt(),
                            use.job(),
                            charge.exhaustedMillis())))
            .filter(one -> after == null || BY_EXHAUSTION.compare(one, after) > 0)
            .sorted(BY_EXHAUSTION)
            .limit(limit)
            .toList());
  }

  @Override
  public void enforced(OverdrawingAttempt attempt) {
    database.run(() ->
        charges
            .find(new Key(attempt.attempt(), attempt.budget()))
            .filter(charge -> charge.exhaustedMillis() == attempt.exhaustedMillis())
            .ifPresent(charge -> charges.put(key(charge), charge.withExhaustedMillis(0))));
  }

  @Override
  public void tell(Budget budget, Fact fact) {
    BudgetScope scope = budget.scope();
    events.append(
        List.of(fact),
        new MemoryEventLog.Subject(
            budget.id(), budget.version(), scope.tenant(), scope.project(), null),
        "budgets");
  }
}
