package dev.fairlead.money.budget.postgres;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetCharge;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetRecount;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.money.budget.OverdrawingAttempt;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.Fact;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Types;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresBudgetStore implements BudgetStore {
  private static final SqlFile OF_TENANT = SqlFile.named("budget/of-tenant");
  private static final SqlFile SHARE = SqlFile.named("budget/share-tenants");
  private static final SqlFile HOLD = SqlFile.named("budget/hold-tenant");
  private static final SqlFile LOCK = SqlFile.named("budget/lock-budgets");
  private static final SqlFile LOCK_ONE = SqlFile.named("budget/lock-budget");
  private static final SqlFile INSERT = SqlFile.named("budget/insert-budget");
  private static final SqlFile UPDATE = SqlFile.named("budget/update-budget");
  private static final SqlFile DELETE = SqlFile.named("budget/delete-budget");
  private static final SqlFile CLOSED_TO = SqlFile.named("usage/open");
  private static final SqlFile USED_BETWEEN = SqlFile.named("budget/used-between");
  private static final SqlFile SPENT = SqlFile.named("budget/spent-since");
  private static final SqlFile HELD = SqlFile.named("budget/held");
  private static final OverdrawingAttempt FIRST_EXHAUSTED =
      new OverdrawingAttempt(
          new BudgetId(new UUID(0, 0)), new UUID(0, 0), new JobId(new UUID(0, 0)), Long.MIN_VALUE);
  private static final SqlFile EXHAUSTED = SqlFile.named("budget/exhausted");
  private static final SqlFile CLEAR_EXHAUSTED = SqlFile.named("budget/clear-exhausted");
  private static final SqlFile DUE = SqlFile.named("budget/due");
  private static final SqlFile WRITE_USES = SqlFile.named("budget/write-uses");
  private static final SqlFile WRITE_CHARGES = SqlFile.named("budget/write-charges");
  private static final SqlFile DELETE_CHARGES = SqlFile.named("budget/delete-charges");
  private static final SqlFile TELL = SqlFile.named("job/insert-events");
  private static final String LOOP = "budgets";
  private static final long DAY = Duration.ofDays(1).toMillis();

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final BudgetReads reads;
  private final BudgetSums sums;

  PostgresBudgetStore(
      Transactions transactions, JdbcClient jdbc, BudgetReads reads, BudgetSums sums) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.reads = reads;
    this.sums = sums;
  }

  @Override
  public List<BudgetState> budgets(TenantId tenant) {
    return transactions.inTenant(
        tenant,
        () -> {
          List<UUID> ids =
              jdbc.sql(OF_TENANT.text()).param("tenant", tenant.value()).query(UUID.class).list();
          SortedMap<String, BudgetState> byName = new TreeMap<>();
          reads.of(ids).forEach(state -> byName.put(state.budget().name(), state));
          return List.copyOf(byName.values());
        });
  }

  @Override
  public List<BudgetState> states() {
    return transactions.forAllTenants(reads::all);
  }

  @Override
  public SortedMap<BudgetId, BigInteger> running(Collection<Budget> budgets, long nowMillis) {
    return transactions.call(() -> reads.running(budgets, nowMillis));
  }

  @Override
  public long now() {
    return transactions.call(reads::now);
  }

  @Override
  public long closedTo() {
    return transactions.forAllTenants(() -> jdbc.sql(CLOSED_TO.text()).query(Long.class).single());
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
        transactions.forAllTenants(() ->
            sums.of(
                budget,
                begin,
                scoped(USED_BETWEEN, budget.scope()).param("after", after).param("to", to)));
    return new ClosedUse(begin, to, before.used().plus(more));
  }

  /** Takes nothing from a period that has ended. */
  private static ClosedUse of(long begin, ClosedUse closed) {
    return closed.fromMillis() == begin ? closed : ClosedUse.upTo(begin, begin);
  }

  @Override
  public void insert(Budget budget, ClosedUse closed, boolean trial) {
    boolean _ =
        transactions.forAllTenants(() -> {
          if (!trial) {
            hold(budget.scope().tenant());
          }
          Conflict.unlessOne(
              row(INSERT, budget).update(), Conflict.Guard.NAME_TAKEN, budget.name());
          if (!trial) {
            open(budget, closed);
          }
          return true;
        });
  }

  private void hold(TenantId tenant) {
    jdbc.sql(HOLD.text()).param("tenant", tenant.value().toString()).query((row, n) -> n).list();
  }

  /** Records past use of its jobs and the current reservations. */
  private void open(Budget budget, ClosedUse closed) {
    long now = reads.now();
    BudgetState empty = new BudgetState(budget, new TreeMap<>());
    List<Held> held =
        scoped(HELD, budget.scope())
            .query((row, n) ->
                new Held(
                    Columns.uuid(row, "attempt"), row.getLong("milli"), row.getLong("since_ms")))
            .list();
    BudgetBook.Costs costs =
        reads.costs(List.of(budget), held.stream().map(Held::attempt).toList());
    BudgetBook book = new BudgetBook(now, costs, List.of(empty), List.of());
    held.forEach(by -> book.hold(budget.id(), by.attempt, by.milli, by.sinceMillis));
    write(book);
    long begin = budget.period().begin(now);
    TreeMap<Long, BudgetUse> spent = new TreeMap<>();
    spent.put(begin, new BudgetUse(spent(budget, begin, closed), BigInteger.ZERO, 0));
    writeUses(budget, spent);
  }

  private record Held(UUID attempt, long milli, long sinceMillis) {}

  /** Use in the period by attempts without a charge. */
  private BudgetSpent spent(Budget budget, long begin, ClosedUse closed) {
    ClosedUse before = of(begin, closed);
    return before
        .used()
        .plus(
            sums.of(
                budget,
                begin,
                scoped(SPENT, budget.scope())
                    .param("budget", budget.id().value())
                    .param("begin", begin)
                    .param("closed", before.toMillis())));
  }

  @Override
  public List<BudgetRecount.Drift> recount(BudgetId id, ClosedUse closed) {
    write(lock(id));
    return reads.of(List.of(id.value())).stream()
        .filter(state -> state.budget().mode() != Budget.Mode.UNREADABLE)
        .flatMap(state -> recounted(state, closed).stream())
        .toList();
  }

  private List<BudgetRecount.Drift> recounted(BudgetState state, ClosedUse closed) {
    Budget budget = state.budget();
    long begin = budget.period().begin(reads.now());
    BudgetRecount recount =
        new BudgetRecount(state, reads.charges(budget.id()), begin, spent(budget, begin, closed));
    writeUses(budget, recount.missing());
    return recount.drifts();
  }

  private JdbcClient.StatementSpec scoped(SqlFile file, BudgetScope scope) {
    String key = scope.byLabel() ? scope.labels().firstKey() : null;
    return jdbc.sql(file.text())
        .param("tenant", scope.tenant().value())
        .param("project", project(scope), Types.OTHER)
        .param("queue", queue(scope), Types.OTHER)
        .param("user", scope.user(), Types.VARCHAR)
        .param("labelKey", key, Types.VARCHAR)
        .param("labelValue", key == null ? null : scope.labels().get(key), Types.VARCHAR);
  }

  private static @Nullable UUID project(BudgetScope scope) {
    ProjectId project = scope.project();
    return project == null ? null : project.value();
  }

  private static @Nullable UUID queue(BudgetScope scope) {
    QuotaNodeId queue = scope.queue();
    return queue == null ? null : queue.value();
  }

  private JdbcClient.StatementSpec row(SqlFile file, Budget budget) {
    return scoped(file, budget.scope())
        .param("id", budget.id().value())
        .param("name", budget.name())
        .param("amount", hours(budget))
        .param("currency", budget.unit().currency(), Types.VARCHAR)
        .param("money", money(budget), Types.NUMERIC)
        .param("period", BudgetRows.period(budget))
        .param("mode", budget.mode().name())
        .param("onExhausted", budget.onExhausted().name())
        .param("alerts", Json.write(budget.alerts()))
        .param("grants", Json.write(budget.grants()))
        .param("version", budget.version());
  }

  private static long hours(Budget budget) {
    return budget.unit().money() ? 0 : budget.amount().longValueExact();
  }

  private static @Nullable BigDecimal money(Budget budget) {
    return budget.unit().money() ? new BigDecimal(budget.amount()) : null;
  }

  @Override
  public void update(Budget budget) {
    int rows =
        transactions.forAllTenants(() ->
            jdbc.sql(UPDATE.text())
                .param("id", budget.id().value())
                .param("tenant", budget.scope().tenant().value())
                .param("amount", hours(budget))
                .param("money", money(budget), Types.NUMERIC)
                .param("mode", budget.mode().name())
                .param("onExhausted", budget.onExhausted().name())
                .param("alerts", Json.write(budget.alerts()))
                .param("grants", Json.write(budget.grants()))
                .param("version", budget.version())
                .update());
    changed(budget, rows);
  }

  private static void changed(Budget budget, int rows) {
    Conflict.unlessOne(rows, Conflict.Guard.VERSION, budget.name());
  }

  @Override
  public void delete(Budget budget) {
    int rows =
        transactions.forAllTenants(() ->
            jdbc.sql(DELETE.text())
                .param("id", budget.id().value())
                .param("tenant", budget.scope().tenant().value())
                .param("version", budget.version())
                .update());
    changed(budget, rows);
  }

  @Override
  public BudgetBook lock(
      Collection<TenantId> tenants, Collection<BudgetScope> jobs, Collection<UUID> attempts) {
    Set<UUID> of = tenants.stream().map(TenantId::value).collect(Collectors.toSet());
    jdbc.sql(SHARE.text()).param("tenants", Json.ids(of)).query((row, n) -> n).list();
    RowBatch rows = new RowBatch();
    for (BudgetScope job : jobs) {
      rows.row()
          .set("tenant", job.tenant().value())
          .set("project", project(job))
          .set("queue", queue(job))
          .set("used_by", job.user())
          .set("labels", job.labels());
    }
    List<UUID> locked =
        jdbc.sql(LOCK.text())
            .param("attempts", Json.ids(attempts))
            .param("jobs", rows.json())
            .query(UUID.class)
            .list();
    return reads.book(locked, attempts);
  }

  @Override
  public BudgetBook lock(BudgetId budget) {
    List<UUID> locked =
        jdbc.sql(LOCK_ONE.text()).param("id", budget.value()).query(UUID.class).list();
    return reads.book(locked, List.of());
  }

  @Override
  public List<BudgetBook.Used> used(Collection<UUID> attempts) {
    return attempts.isEmpty() ? List.of() : reads.used(attempts);
  }

  @Override
  public void write(BudgetBook book) {
    book.states().stream()
        .map(BudgetState::budget)
        .forEach(budget -> writeUses(budget, book.added(budget.id())));
    RowBatch gone = new RowBatch();
    for (BudgetCharge charge : book.settledCharges()) {
      gone.row().set("attempt", charge.attempt()).set("budget", charge.budget().value());
    }
    if (!gone.isEmpty()) {
      jdbc.sql(DELETE_CHARGES.text()).param("rows", gone.json()).update();
    }
    RowBatch rows = new RowBatch();
    for (BudgetCharge charge : book.changedCharges()) {
      Budget budget = book.state(charge.budget()).budget();
      rows.row()
          .set("attempt", charge.attempt())
          .set("budget", charge.budget().value())
          .set("tenant", budget.scope().tenant().value())
          .set("milli", charge.milli())
          .set("weight", budget.unit().money() ? charge.weight() : null)
          .set("since_ms", charge.sinceMillis())
          .set("until_ms", charge.untilMillis())
          .set("priced_ms", budget.unit().money() ? charge.pricedMillis() : null)
          .set("passed", budget.unit().money() ? charge.passed() : null)
          .set("exhausted_ms", charge.exhaustedMillis());
    }
    if (!rows.isEmpty()) {
      jdbc.sql(WRITE_CHARGES.text()).param("rows", rows.json()).update();
    }
  }

  private void writeUses(Budget budget, SortedMap<Long, BudgetUse> added) {
    RowBatch rows = new RowBatch();
    String of = budget.unit().money() ? "money_" : "";
    added.forEach((begin, use) ->
        rows.row()
            .set("budget", budget.id().value())
            .set("tenant", budget.scope().tenant().value())
            .set("period_ms", begin)
            .set(of + "spent", use.spent())
            .set(of + "reserved", use.reserved())
            .set("unpriced", use.used().unpriced())
            .set("alerted", use.alerted()));
    if (!rows.isEmpty()) {
      jdbc.sql(WRITE_USES.text()).param("rows", rows.json()).update();
    }
  }

  @Override
  public List<BudgetId> due() {
    return transactions.forAllTenants(() ->
        new TreeSet<>(jdbc.sql(DUE.text()).param("now", reads.now()).query(UUID.class).list())
            .stream().map(BudgetId::new).toList());
  }

  @Override
  public Optional<BudgetState> state(BudgetId budget) {
    return transactions.forAllTenants(() -> reads.of(List.of(budget.value())).stream().findFirst());
  }

  @Override
  public List<OverdrawingAttempt> overdrawing(@Nullable OverdrawingAttempt after, int limit) {
    OverdrawingAttempt from = after == null ? FIRST_EXHAUSTED : after;
    return transactions.forAllTenants(() ->
        jdbc.sql(EXHAUSTED.text())
            .param("exhausted", from.exhaustedMillis())
            .param("attempt", from.attempt())
            .param("budget", from.budget().value())
            .param("limit", limit)
            .query((row, n) ->
                new OverdrawingAttempt(
                    new BudgetId(Columns.uuid(row, "budget")),
                    Columns.uuid(row, "attempt"),
                    new JobId(Columns.uuid(row, "job")),
                    row.getLong("exhausted_ms")))
            .list());
  }

  @Override
  public void enforced(OverdrawingAttempt attempt) {
    int _ =
        transactions.forAllTenants(() ->
            jdbc.sql(CLEAR_EXHAUSTED.text())
                .param("attempt", attempt.attempt())
                .param("budget", attempt.budget().value())
                .param("exhausted", attempt.exhaustedMillis())
                .update());
  }

  @Override
  public void tell(Budget budget, Fact fact) {
    RowBatch rows = new RowBatch();
    rows.row()
        .set("type", fact.type())
        .set("subject_kind", IdKind.BUDGET)
        .set("subject", budget.id().value())
        .set("version", budget.version())
        .set("actor", LOOP)
        .set("tenant", budget.scope().tenant().value())
        .set("project", project(budget.scope()))
        .set("data", fact.data());
    jdbc.sql(TELL.text()).param("rows", rows.json()).update();
  }
}
