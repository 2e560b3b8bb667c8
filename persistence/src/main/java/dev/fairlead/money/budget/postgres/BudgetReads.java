package dev.fairlead.money.budget.postgres;

import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetCharge;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPlace;
import dev.fairlead.money.budget.BudgetPrices;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.price.PriceStore;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads budgets in the open transaction. */
@Component
class BudgetReads {
  private static final SqlFile BUDGETS = SqlFile.named("budget/all-budgets");
  private static final SqlFile USES = SqlFile.named("budget/all-uses");
  private static final SqlFile CHARGES = SqlFile.named("budget/charges");
  private static final SqlFile CHARGES_OF = SqlFile.named("budget/charges-of");
  private static final SqlFile HOLDING = SqlFile.named("budget/holding");
  private static final SqlFile HELD_BY = SqlFile.named("budget/held-by");
  private static final SqlFile USED = SqlFile.named("budget/used");
  private static final SqlFile RUNNING = SqlFile.named("budget/running");

  /** Reads periods that began within this time, the open period and the previous one. */
  private static final long READ = Duration.ofDays(63).toMillis();

  private static final String PERIODS = "{" + String.join(",", BudgetRows.periods()) + "}";

  private final JdbcClient jdbc;
  private final PriceStore prices;
  private final BelievedTime time;

  BudgetReads(JdbcClient jdbc, PriceStore prices, BelievedTime time) {
    this.jdbc = jdbc;
    this.prices = prices;
    this.time = time;
  }

  long now() {
    return time.nowMillis();
  }

  /** Reads budgets by id. */
  List<BudgetState> all() {
    return states(null);
  }

  /** Reads existing budgets by id. */
  List<BudgetState> of(Collection<UUID> ids) {
    return states(ids);
  }

  private List<BudgetState> states(@Nullable Collection<UUID> ids) {
    String among = Json.ids(ids == null ? List.of() : ids);
    List<Budget> budgets =
        jdbc.sql(BUDGETS.text())
            .param("all", ids == null)
            .param("ids", among)
            .query((row, n) -> BudgetRows.budget(row))
            .list();
    if (budgets.isEmpty()) {
      return List.of();
    }
    SortedMap<BudgetId, SortedMap<Long, BudgetUse>> uses = new TreeMap<>();
    jdbc.sql(USES.text())
        .param("all", ids == null)
        .param("ids", among)
        .param("after", now() - READ)
        .query(row -> {
          uses.computeIfAbsent(new BudgetId(Columns.uuid(row, "budget")), b -> new TreeMap<>())
              .put(row.getLong("period_ms"), BudgetRows.use(row));
        });
    List<BudgetState> states = new ArrayList<>();
    for (Budget budget : budgets) {
      states.add(new BudgetState(budget, uses.getOrDefault(budget.id(), new TreeMap<>())));
    }
    return states;
  }

  /** Reads due charges of these budgets, and charges of the attempts. */
  BudgetBook book(Collection<UUID> budgets, Collection<UUID> attempts) {
    if (budgets.isEmpty()) {
      return new BudgetBook(0, BudgetBook.Costs.NONE, List.of(), List.of());
    }
    long now = now();
    List<BudgetCharge> charges =
        jdbc.sql(CHARGES.text())
            .param("ids", Json.ids(budgets))
            .param("periods", PERIODS)
            .param("attempts", Json.ids(attempts))
            .param("now", now)
            .query((row, n) -> BudgetRows.charge(row))
            .list();
    List<BudgetState> states = of(budgets);
    Set<UUID> moving = new TreeSet<>(attempts);
    charges.forEach(charge -> moving.add(charge.attempt()));
    BudgetBook book =
        new BudgetBook(
            now, costs(states.stream().map(BudgetState::budget).toList(), moving), states, charges);
    settleEnded(book, charges);
    book.renew();
    return book;
  }

  /** Reads prices if a budget is in money. */
  BudgetBook.Costs costs(Collection<Budget> budgets, Collection<UUID> attempts) {
    if (budgets.stream().noneMatch(budget -> budget.unit().money())) {
      return BudgetBook.Costs.NONE;
    }
    SortedMap<UUID, Map<BudgetPlace, Long>> held = new TreeMap<>();
    jdbc.sql(HELD_BY.text())
        .param("attempts", Json.ids(attempts))
        .query(row -> {
          held.computeIfAbsent(Columns.uuid(row, "attempt"), a -> new LinkedHashMap<>())
              .put(BudgetRows.place(row), row.getLong("milli"));
        });
    return new BudgetBook.Costs(prices(), held);
  }

  /** Reads budgets of all tenants. */
  BudgetPrices prices() {
    return new BudgetPrices(prices.book());
  }

  List<BudgetCharge> charges(BudgetId budget) {
    return jdbc.sql(CHARGES_OF.text())
        .param("budget", budget.value())
        .query((row, n) -> BudgetRows.charge(row))
        .list();
  }

  /** The end may have been written by a version without budgets: its time is spent, not renewed. */
  private void settleEnded(BudgetBook book, List<BudgetCharge> charges) {
    Set<UUID> ended = new TreeSet<>();
    for (BudgetCharge charge : charges) {
      if (charge.untilMillis() <= book.nowMillis()) {
        ended.add(charge.attempt());
      }
    }
    if (ended.isEmpty()) {
      return;
    }
    ended.removeAll(
        jdbc.sql(HOLDING.text()).param("attempts", Json.ids(ended)).query(UUID.class).list());
    if (!ended.isEmpty()) {
      List<BudgetBook.Used> used = used(ended);
      ended.forEach(attempt -> book.settle(attempt, used));
    }
  }

  List<BudgetBook.Used> used(Collection<UUID> attempts) {
    return jdbc.sql(USED.text())
        .param("attempts", Json.ids(attempts))
        .query((row, n) -> BudgetRows.used(row))
        .list();
  }

  SortedMap<BudgetId, BigInteger> running(Collection<Budget> budgets, long now) {
    RowBatch rows = new RowBatch();
    for (Budget budget : budgets) {
      rows.row().set("budget", budget.id().value()).set("begin_ms", budget.period().begin(now));
    }
    SortedMap<BudgetId, BigInteger> used = new TreeMap<>();
    jdbc.sql(RUNNING.text())
        .param("rows", rows.json())
        .param("now", now)
        .query(row -> {
          used.put(new BudgetId(Columns.uuid(row, "budget")), BudgetRows.exact(row, "used"));
        });
    return used;
  }
}
