package dev.fairlead.money.budget.postgres;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetBuilder;
import dev.fairlead.money.budget.BudgetCharge;
import dev.fairlead.money.budget.BudgetChargeBuilder;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetGrant;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetPlace;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;

/** Converts rows of budgets to values. */
final class BudgetRows {
  private static final Logger LOG = LoggerFactory.getLogger(BudgetRows.class);

  /**
   * Prefix of the period of a money budget. A version without money budgets cannot read it and
   * closes its scope.
   */
  private static final String MONEY = "MONEY_";

  private static final TypeReference<TreeMap<Long, BigInteger>> PASSED = new TypeReference<>() {};

  private static final Map<BudgetId, Long> REPORTED = new ConcurrentHashMap<>();

  private BudgetRows() {}

  /** A row that a newer version, or a person, wrote in an unknown form closes its scope. */
  static Budget budget(ResultSet row) throws SQLException {
    BudgetId id = new BudgetId(Columns.uuid(row, "id"));
    BudgetUnit unit = new BudgetUnit(row.getString("currency"));
    String period = Columns.text(row, "period");
    try {
      return BudgetBuilder.builder()
          .id(id)
          .scope(scope(row))
          .name(Columns.text(row, "name"))
          .unit(unit)
          .amount(amount(row, unit))
          .period(
              BudgetPeriod.valueOf(
                  period.startsWith(MONEY) ? period.substring(MONEY.length()) : period))
          .mode(Budget.Mode.valueOf(Columns.text(row, "mode")))
          .onExhausted(BudgetExhaustedPolicy.valueOf(Columns.text(row, "on_exhausted")))
          .alerts(List.of(Json.read(Columns.text(row, "alerts"), Integer[].class)))
          .grants(List.of(Json.read(Columns.text(row, "grants"), BudgetGrant[].class)))
          .version(row.getLong("version"))
          .build();
    } catch (IllegalArgumentException | JacksonException unread) {
      report(id, row.getLong("version"), unread);
      return BudgetBuilder.builder()
          .id(id)
          .scope(scope(row))
          .name(Columns.text(row, "name"))
          .unit(unit)
          .amount(BigInteger.ZERO)
          .period(period(period))
          .mode(Budget.Mode.UNREADABLE)
          .onExhausted(BudgetExhaustedPolicy.FINISH)
          .alerts(List.of())
          .grants(List.of())
          .version(row.getLong("version"))
          .build();
    }
  }

  /** Parsed once for each version of the row, because it is read in every cycle. */
  private static void report(BudgetId id, long version, Exception unread) {
    Long last = REPORTED.put(id, version);
    if (last == null || last != version) {
      LOG.error("budget {} cannot be read: none of its jobs starts", id.text(), unread);
    }
  }

  /** Charges continue with a readable period. No charge moves to an unreadable period. */
  private static BudgetPeriod period(String text) {
    return Arrays.stream(BudgetPeriod.values())
        .filter(period -> text.equals(period.name()) || text.equals(MONEY + period.name()))
        .findFirst()
        .orElse(BudgetPeriod.MONTH);
  }

  private static BudgetScope scope(ResultSet row) throws SQLException {
    UUID project = Columns.uuidOrNull(row, "project");
    UUID queue = Columns.uuidOrNull(row, "queue");
    return new BudgetScope(
        new TenantId(Columns.uuid(row, "tenant")),
        project == null ? null : new ProjectId(project),
        queue == null ? null : new QuotaNodeId(queue),
        row.getString("used_by"),
        label(row));
  }

  private static SortedMap<String, String> label(ResultSet row) throws SQLException {
    String key = row.getString("label_key");
    return key == null
        ? Collections.emptySortedMap()
        : new TreeMap<>(Map.of(key, Columns.text(row, "label_value")));
  }

  /** The stored form. */
  static String period(Budget budget) {
    return (budget.unit().money() ? MONEY : "") + budget.period().name();
  }

  /** Names of periods that this version supports. */
  static List<String> periods() {
    return Arrays.stream(BudgetPeriod.values())
        .flatMap(period -> Stream.of(period.name(), MONEY + period.name()))
        .toList();
  }

  private static BigInteger amount(ResultSet row, BudgetUnit unit) throws SQLException {
    return unit.money() ? exact(row, "money") : BigInteger.valueOf(row.getLong("amount"));
  }

  static BigInteger exact(ResultSet row, String column) throws SQLException {
    return row.getBigDecimal(column).toBigIntegerExact();
  }

  static BudgetUse use(ResultSet row) throws SQLException {
    return new BudgetUse(
        new BudgetSpent(exact(row, "spent"), exact(row, "unpriced")),
        exact(row, "reserved"),
        row.getInt("alerted"));
  }

  static BudgetPlace place(ResultSet row) throws SQLException {
    return new BudgetPlace(
        new ClusterId(Columns.uuid(row, "cluster")),
        Columns.text(row, "pool"),
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class)));
  }

  static BudgetCharge charge(ResultSet row) throws SQLException {
    return BudgetChargeBuilder.builder()
        .attempt(Columns.uuid(row, "attempt"))
        .budget(new BudgetId(Columns.uuid(row, "budget")))
        .milli(row.getLong("milli"))
        .weight(row.getLong("weight"))
        .sinceMillis(row.getLong("since_ms"))
        .untilMillis(row.getLong("until_ms"))
        .pricedMillis(row.getLong("priced_ms"))
        .passed(Json.read(Columns.text(row, "passed"), PASSED))
        .exhaustedMillis(row.getLong("exhausted_ms"))
        .build();
  }

  static BudgetBook.Used used(ResultSet row) throws SQLException {
    return new BudgetBook.Used(
        Columns.uuid(row, "attempt"),
        place(row),
        row.getLong("milli"),
        row.getLong("started_ms"),
        row.getLong("ended_ms"));
  }
}
