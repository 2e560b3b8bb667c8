package dev.fairlead.money.usage.postgres;

import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link UseLedger} on the table {@code use_fact}. */
@Component
class PostgresUseLedger implements UseLedger {
  private static final SqlFile OPEN = SqlFile.named("usage/open");
  private static final SqlFile FORGET = SqlFile.named("usage/forget-facts");
  private static final SqlFile WRITE = SqlFile.named("usage/write-facts");
  private static final SqlFile STORED = SqlFile.named("usage/stored-facts");
  private static final SqlFile LOCK = SqlFile.named("usage/lock-hours");
  private static final SqlFile UNSUMMED_DAY = SqlFile.named("usage/unsummed-day");
  private static final SqlFile WRITE_DAY = SqlFile.named("usage/write-day");
  private static final SqlFile DAY_IS_SUMMED = SqlFile.named("usage/day-is-summed");
  private static final SqlFile REPORT = SqlFile.named("usage/report");

  /** Dimensions that select the facts of a report. */
  private static final List<UseDimension> SELECTING =
      List.of(
          UseDimension.PROJECT,
          UseDimension.USER,
          UseDimension.POOL,
          UseDimension.CAPACITY,
          UseDimension.SERVICE,
          UseDimension.DETAIL);

  private static final String HOUR = "HOUR";
  private static final String DAY = "DAY";
  private static final long DAY_MILLIS = 24 * HourBook.HOUR_MILLIS;
  private static final int FETCHED = 2_000;
  private static final String DAYS = days();

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final BelievedTime time;

  PostgresUseLedger(Transactions transactions, JdbcClient jdbc, BelievedTime time) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.time = time;
  }

  /** Kinds with days, and their dimensions. */
  private static String days() {
    RowBatch rows = new RowBatch();
    for (UseKind kind : UseKind.withDays()) {
      rows.row().set("kind", kind.name()).set("dimensions", kind.ofDays());
    }
    return rows.json();
  }

  @Override
  public long now() {
    return transactions.forAllTenants(time::nowMillis);
  }

  @Override
  public long open() {
    return transactions.forAllTenants(() -> jdbc.sql(OPEN.text()).query(Long.class).single());
  }

  @Override
  public void write(UseFacts hour) {
    RowBatch rows = new RowBatch();
    hour.sums()
        .forEach((key, amount) -> {
          rows.row().set("kind", key.kind().name()).set("amount", amount);
          key.at().forEach((dimension, value) -> rows.set(dimension.column(), value));
          if (!key.labels().isEmpty()) {
            rows.set("labels", key.labels());
          }
        });
    int _ =
        transactions.forAllTenants(() ->
            forget(List.of(UseKind.values()), HOUR, hour.startMillis())
                + jdbc.sql(WRITE.text())
                    .param("start", hour.startMillis())
                    .param("rows", rows.json())
                    .update());
  }

  private int forget(List<UseKind> kinds, String period, long startMillis) {
    return jdbc.sql(FORGET.text())
        .param("kinds", array(kinds.stream().map(UseKind::name).toList()))
        .param("period", period)
        .param("start", startMillis)
        .update();
  }

  @Override
  public UseFacts stored(long hourMillis) {
    SortedMap<UseKey, Long> facts = new TreeMap<>();
    stored(
        List.of(UseKind.values()),
        List.of(HOUR),
        hourMillis,
        hourMillis + HourBook.HOUR_MILLIS,
        row -> facts.put(fact(row), row.getLong("amount")));
    return new UseFacts(hourMillis, facts);
  }

  private void stored(
      List<UseKind> kinds,
      List<String> periods,
      long fromMillis,
      long toMillis,
      RowCallbackHandler each) {
    boolean _ =
        transactions.forAllTenants(() -> {
          jdbc.sql(STORED.text())
              .param("kinds", array(kinds.stream().map(UseKind::name).toList()))
              .param("periods", array(periods))
              .param("from", fromMillis)
              .param("to", toMillis)
              .param("summed", periods.contains(DAY))
              .withFetchSize(FETCHED)
              .query(each);
          return true;
        });
  }

  private static UseKey fact(ResultSet row) throws SQLException {
    String labels = row.getString("labels");
    return key(row, labels == null ? Collections.emptySortedMap() : Json.texts(labels));
  }

  private static UseKey key(ResultSet row, SortedMap<String, String> labels) throws SQLException {
    Map<UseDimension, String> at = new EnumMap<>(UseDimension.class);
    for (UseDimension each : UseDimension.values()) {
      String value = row.getString(each.column());
      if (value != null) {
        at.put(each, value);
      }
    }
    return new UseKey(Columns.value(row, "kind", UseKind.class), at, labels);
  }

  @Override
  public boolean sumDay() {
    return transactions.forAllTenants(() -> {
      Optional<Long> day = jdbc.sql(UNSUMMED_DAY.text()).query(Long.class).optional();
      day.ifPresent(this::summed);
      return day.isPresent();
    });
  }

  @Override
  public void sumDay(long dayMillis) {
    boolean _ =
        transactions.forAllTenants(() -> {
          summed(dayMillis);
          return true;
        });
  }

  private void summed(long day) {
    /* An hour that is rewritten now is read after that. */
    long _ = jdbc.sql(LOCK.text()).query(Long.class).single();
    int _ = forget(UseKind.withDays(), DAY, day);
    int _ = jdbc.sql(WRITE_DAY.text()).param("day", day).param("kinds", DAYS).update();
    int _ = jdbc.sql(DAY_IS_SUMMED.text()).param("day", day).update();
  }

  @Override
  public List<HourDifference> dayDifferences(long dayMillis) {
    SortedMap<UseKey, Long> days = new TreeMap<>();
    SortedMap<UseKey, Long> hours = new TreeMap<>();
    stored(
        UseKind.withDays(),
        List.of(HOUR, DAY),
        dayMillis,
        dayMillis + DAY_MILLIS,
        row -> {
          boolean day = Columns.text(row, "period").equals(DAY);
          UseKey key = fact(row);
          (day ? days : hours).merge(day ? key : key.ofDay(), row.getLong("amount"), Long::sum);
        });
    return new UseFacts(dayMillis, days)
        .differences(new UseFacts(dayMillis, hours)).stream().map(HourDifference::ofDay).toList();
  }

  @Override
  public void report(UseQuery query, Consumer<UseSum> each) {
    Runnable read =
        () ->
            statement(query)
                .withFetchSize(FETCHED)
                .query(row -> {
                  each.accept(sum(row, query));
                });
    TenantId tenant = query.tenant();
    if (tenant != null) {
      transactions.runInTenant(tenant, read);
    } else {
      boolean _ =
          transactions.forAllTenants(() -> {
            read.run();
            return true;
          });
    }
  }

  /**
   * Arrays are bound without a type, so that the plan has them as constants. A text is parsed for
   * each fact, and the planner assumes ten values.
   */
  private JdbcClient.StatementSpec statement(UseQuery query) {
    TenantId tenant = query.tenant();
    JdbcClient.StatementSpec statement =
        jdbc.sql(REPORT.text())
            .param("kinds", array(query.kinds().stream().map(UseKind::name).toList()), Types.OTHER)
            .param("tenant", tenant == null ? null : tenant.value(), Types.OTHER)
            .param("shared", query.shared())
            .param("days", query.readsDays())
            .param("from", query.times().fromMillis())
            .param("to", query.times().toMillis())
            .param("step", query.times().stepMillis())
            .param("begins", array(query.times().begins()), Types.OTHER)
            .param("timeFirst", query.times().first())
            .param("labelled", !query.labels().isEmpty())
            .param("values", UseQuery.MOST_VALUES)
            .param("other", UseQuery.OTHER)
            .param("limit", query.limit());
    for (UseDimension each : UseDimension.values()) {
      statement = statement.param("by" + each.name(), query.by().contains(each));
    }
    for (UseDimension each : SELECTING) {
      List<String> values = query.only().get(each);
      statement =
          statement.param("of" + each.name(), values == null ? null : array(values), Types.OTHER);
    }
    for (int n = 0; n < UsageLabels.MOST; n++) {
      String label = n < query.labels().size() ? query.labels().get(n) : null;
      statement = statement.param("label" + (n + 1), label, Types.VARCHAR);
    }
    return statement;
  }

  private static UseSum sum(ResultSet row, UseQuery query) throws SQLException {
    SortedMap<String, String> labels = new TreeMap<>();
    for (String label : query.labels()) {
      labels.put(label, Columns.text(row, "label" + (labels.size() + 1)));
    }
    return new UseSum(
        key(row, labels),
        new UseSum.Names(
            row.getString("tenant_name"),
            row.getString("project_name"),
            row.getString("queue_name"),
            row.getString("cluster_name"),
            row.getString("cost_centre")),
        row.getLong("begin_ms"),
        row.getLong("amount"));
  }

  /** An array literal with quoted values. */
  private static String array(Collection<?> values) {
    return values.stream()
        .map(value -> "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"")
        .collect(Collectors.joining(",", "{", "}"));
  }
}
