package dev.fairlead.integration;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.Validity;
import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleCosts;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.IdleUse;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.StatementLine;
import dev.fairlead.money.statement.StatementSums;
import dev.fairlead.money.statement.StatementUse;
import dev.fairlead.money.statement.TenantUse;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageQuery.Group;
import dev.fairlead.money.usage.UsageRow;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Statements of the months of {@link BookedLives}, and the usage that must be their total. */
record BookedStatements(PostgresInstallation stores, TenantId tenant) {
  private static final int PRICES = 12;

  /**
   * Prices that begin and end within hours, some for a single capacity type. Hours of the first
   * quarter have no statement, later hours have at least one.
   */
  void randomPrices(long seed, long fromMillis, long toMillis) {
    Random random = new Random(seed);
    for (int i = 0; i < PRICES; i++) {
      boolean always = i == 0;
      long quarter = (toMillis - fromMillis) / 4;
      Instant from =
          Instant.ofEpochMilli(
              fromMillis + 1 + quarter + (always ? 0 : random.nextLong(3 * quarter)));
      Instant to = always ? null : from.plusMillis(1 + random.nextLong(toMillis - fromMillis));
      CapacityType type = CapacityType.values()[random.nextInt(CapacityType.values().length)];
      ConfigDocument<Price> _ =
          stores
              .configs()
              .put(
                  new Price(
                          new PriceId(stores.ids().next()),
                          new PriceScope(
                              null, null, null, always || random.nextBoolean() ? null : type),
                          new Money(
                              random.nextLong(5_000_000), random.nextBoolean() ? "EUR" : "USD"),
                          new Validity(from, to),
                          null,
                          null,
                          from)
                      .document());
    }
  }

  List<StatementLine> lines(YearMonth month) {
    PriceSpans spans =
        new PriceSpans(stores.prices().book(), Statement.begin(month), Statement.end(month));
    StatementSums sums = new StatementSums(spans);
    StatementUse.each(stores.bean(UseLedger.class), tenant, spans, sums::add);
    return sums.lines();
  }

  /** Idle cost under a policy that charges the whole cost. */
  IdleCosts idle(YearMonth month, IdleRule rule) {
    PriceSpans spans =
        new PriceSpans(stores.prices().book(), Statement.begin(month), Statement.end(month));
    UseLedger ledger = stores.bean(UseLedger.class);
    IdleCostPolicy policy =
        new IdleCostPolicy(month, rule, rule, new TreeMap<>(), "books", Statement.begin(month));
    IdleCosts costs = new IdleCosts(policy, spans, TenantUse.of(ledger, spans));
    IdleUse.each(ledger, spans, costs::add);
    return costs;
  }

  /** Time of all GPUs in closed hours of the month, minus the used time. */
  long unused(YearMonth month) {
    return stores
        .jdbc()
        .sql(
            "SELECT sum(CASE WHEN detail = 'USED' THEN 0 ELSE amount END) FROM use_fact"
                + " WHERE kind = 'FLEET' AND start_ms >= :from AND start_ms < :to")
        .param("from", Statement.begin(month).toEpochMilli())
        .param("to", Statement.end(month).toEpochMilli())
        .query(Long.class)
        .single();
  }

  String text(List<YearMonth> months) {
    return String.valueOf(months.stream().map(this::lines).toList());
  }

  static List<YearMonth> months(long fromMillis, long toMillis) {
    List<YearMonth> months = new ArrayList<>();
    YearMonth last = month(toMillis);
    for (YearMonth each = month(fromMillis); !each.isAfter(last); each = each.plusMonths(1)) {
      months.add(each);
    }
    return months;
  }

  private static YearMonth month(long millis) {
    return YearMonth.from(Instant.ofEpochMilli(millis).atZone(ZoneOffset.UTC));
  }

  /** Usage in the lines, by the groups of the usage report. */
  static Map<Map<Group, String>, Long> used(List<StatementLine> lines) {
    Map<Map<Group, String>, Long> sums = new TreeMap<>(BookedStatements::byText);
    for (StatementLine line : lines) {
      Map<Group, String> key = new EnumMap<>(Group.class);
      key.put(Group.PROJECT, line.names().project());
      key.put(Group.QUEUE, line.names().queue());
      key.put(Group.POOL, line.key().pool());
      key.put(Group.MODEL, line.key().flavor().model());
      key.put(Group.CAPACITY, line.key().flavor().capacity().name());
      sums.merge(key, line.milliMillis(), Long::sum);
    }
    return sums;
  }

  /** The usage report for the same. */
  Map<Map<Group, String>, Long> reported(YearMonth month) {
    UsageQuery query =
        new UsageQuery(
            tenant,
            null,
            null,
            UsageQuery.Period.MONTH,
            new TreeSet<>(
                List.of(Group.PROJECT, Group.QUEUE, Group.POOL, Group.MODEL, Group.CAPACITY)),
            new TreeSet<>(),
            Statement.begin(month),
            Statement.end(month),
            10_000);
    Map<Map<Group, String>, Long> sums = new TreeMap<>(BookedStatements::byText);
    for (UsageRow row : query.report(stores.bean(UseLedger.class))) {
      sums.put(new EnumMap<>(row.group()), row.milliMillis());
    }
    return sums;
  }

  /** Of the place of a row at an instant, null if none. */
  static @Nullable Money price(PriceBook book, ResultSet row, Instant at) throws SQLException {
    return book.at(
            new ClusterId(row.getObject("cluster", UUID.class)),
            null,
            row.getString("model"),
            CapacityType.valueOf(row.getString("capacity")),
            at)
        .map(Price::perUnit)
        .orElse(null);
  }

  private static int byText(Map<Group, String> one, Map<Group, String> other) {
    return one.toString().compareTo(other.toString());
  }
}
