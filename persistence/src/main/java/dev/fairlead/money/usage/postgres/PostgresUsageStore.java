package dev.fairlead.money.usage.postgres;

import dev.fairlead.fleet.node.CapacityLabels;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.ChangeNotes;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.HourDifference;
import dev.fairlead.money.usage.HourSums;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.UsageOwner;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageQuery.Group;
import dev.fairlead.money.usage.UsageRow;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link UsageStore} on PostgreSQL. Intervals of use are written by the ledger of GPUs. */
@Component
class PostgresUsageStore implements UsageStore {
  private static final SqlFile LOOK = SqlFile.named("usage/look");
  private static final SqlFile SOURCES = SqlFile.named("usage/gpu-sources");
  private static final SqlFile SPANS_DIFFER = SqlFile.named("usage/spans-differ");
  private static final SqlFile END = SqlFile.named("usage/end-spans");
  private static final SqlFile BEGIN = SqlFile.named("usage/begin-spans");
  private static final SqlFile HISTORIES = SqlFile.named("usage/gpu-histories");
  private static final SqlFile CLOSE = SqlFile.named("usage/close-hours");
  private static final SqlFile UNSUMMED_DAY = SqlFile.named("usage/unsummed-day");
  private static final List<SqlFile> SUM_DAY =
      Stream.of(
              "usage/forget-usage-day",
              "usage/write-usage-day",
              "usage/forget-label-day",
              "usage/write-label-day",
              "usage/forget-spill-day",
              "usage/write-spill-day",
              "usage/day-is-summed")
          .map(SqlFile::named)
          .toList();
  private static final SqlFile DAY_DIFFERENCES = SqlFile.named("usage/day-differences");
  private static final int DAY_DIGITS = 10;
  private static final SqlFile REPORT = SqlFile.named("usage/report");
  private static final SqlFile LABEL_REPORT = SqlFile.named("usage/label-report");
  private static final int LABEL_VALUES = 1_000;
  private static final SqlFile OPEN = SqlFile.named("usage/open");
  private static final SqlFile LOCK = SqlFile.named("usage/lock-hours");
  private static final SqlFile STORED_USE = SqlFile.named("usage/stored-usage-hour");
  private static final SqlFile STORED_LABELS = SqlFile.named("usage/stored-label-hour");
  private static final SqlFile STORED_FLEET = SqlFile.named("usage/stored-fleet-hour");
  private static final String MEANINGS = meanings();
  private static final int FETCHED = 2_000;

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final BelievedTime time;
  private final ChangeNotes notes;

  /** The last sample, if it found no difference. */
  private volatile @Nullable Sample equal;

  PostgresUsageStore(
      Transactions transactions, JdbcClient jdbc, BelievedTime time, ChangeNotes notes) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.time = time;
    this.notes = notes;
  }

  /**
   * Rows that decide about the states of GPUs and have no change notes.
   *
   * @param lookMillis time of the last sample of any process
   */
  private record Sources(long lookMillis, String hash) {}

  /**
   * A sample of the states of GPUs.
   *
   * @param last the open hour and its time. The first sample of each hour reads all GPUs
   * @param noted position in the notes of nodes and GPUs, read before the GPUs
   * @param hash of the other rows
   */
  private record Sample(Watermark last, ChangeNotes.Position noted, String hash) {
    /** Whether it is the last sample of all processes, and of this hour. */
    boolean precedes(Watermark now, Sources sources) {
      return last.nowMillis() == sources.lookMillis()
          && last.openMillis() == now.openMillis()
          && hash.equals(sources.hash());
    }
  }

  private static String meanings() {
    RowBatch rows = new RowBatch();
    for (CapacityLabels.LabelRule meaning : CapacityLabels.table()) {
      rows.row()
          .set("label", meaning.label())
          .set("value", meaning.value().equals(CapacityLabels.ANY) ? null : meaning.value())
          .set("type", meaning.type());
    }
    return rows.json();
  }

  @Override
  public long now() {
    return transactions.forAllTenants(time::nowMillis);
  }

  @Override
  public Watermark look() {
    return transactions.forAllTenants(() -> {
      Sources sources =
          jdbc.sql(SOURCES.text())
              .query((row, n) -> new Sources(row.getLong("look_ms"), Columns.text(row, "hash")))
              .single();
      Watermark watermark =
          jdbc.sql(LOOK.text())
              .param("host", time.hostMillis())
              .query((row, n) -> new Watermark(row.getLong("look_ms"), row.getLong("open_ms")))
              .single();
      if (spansDiffer(watermark, sources)) {
        for (SqlFile spans : List.of(END, BEGIN)) {
          jdbc.sql(spans.text())
              .param("now", watermark.nowMillis())
              .param("meanings", MEANINGS)
              .update();
        }
      }
      return watermark;
    });
  }

  /** Reads all GPUs only after a change. A difference is not remembered: its write may fail. */
  private boolean spansDiffer(Watermark now, Sources sources) {
    Sample before = equal;
    ChangeNotes.Delta noted =
        notes.since(before == null ? null : before.noted(), ChangeNotes.Kind.NODE);
    boolean unchanged =
        before != null
            && noted.complete()
            && noted.ids().isEmpty()
            && before.precedes(now, sources);
    boolean differ = !unchanged && readDifference();
    equal = differ ? null : new Sample(now, noted.position(), sources.hash());
    return differ;
  }

  private boolean readDifference() {
    return jdbc.sql(SPANS_DIFFER.text()).param("meanings", MEANINGS).query(Boolean.class).single();
  }

  @Override
  public void gpus(long fromMillis, long toMillis, Consumer<GpuHistory> each) {
    boolean _ =
        transactions.forAllTenants(() -> {
          GpuHistoryRows rows = new GpuHistoryRows(each);
          jdbc.sql(HISTORIES.text())
              .withFetchSize(FETCHED)
              .param("from", fromMillis)
              .param("to", toMillis)
              .query(rows::take);
          rows.finish();
          return true;
        });
  }

  @Override
  public void write(HourSums sums) {
    int _ = transactions.forAllTenants(() -> UsageHourRollup.write(jdbc, sums));
  }

  @Override
  public void close(long openMillis) {
    int _ =
        transactions.forAllTenants(() -> jdbc.sql(CLOSE.text()).param("open", openMillis).update());
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
  public List<HourDifference> dayDifferences(long dayMillis) {
    return transactions.forAllTenants(() ->
        jdbc.sql(DAY_DIFFERENCES.text())
            .param("day", dayMillis)
            .query((row, n) ->
                new HourDifference(
                    dayMillis, dayKey(dayMillis, row), row.getLong("stored"), row.getLong("due")))
            .list());
  }

  private static SortedMap<String, String> dayKey(long dayMillis, ResultSet row)
      throws SQLException {
    SortedMap<String, String> key = new TreeMap<>();
    key.put("day", Instant.ofEpochMilli(dayMillis).toString().substring(0, DAY_DIGITS));
    key.put("tenant", new TenantId(Columns.uuid(row, "tenant")).text());
    key.put("project", new ProjectId(Columns.uuid(row, "project")).text());
    key.put("queue", new QuotaNodeId(Columns.uuid(row, "queue")).text());
    key.put("user", Columns.text(row, "used_by"));
    for (String part : List.of("pool", "model", "capacity")) {
      key.put(part, Columns.text(row, part));
    }
    Json.texts(Columns.text(row, "labels"))
        .forEach((label, value) -> key.put("label:" + label, value));
    return key;
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
    long _ = lock(); // an hour that is rewritten now is read after that
    SUM_DAY.forEach(each -> jdbc.sql(each.text()).param("day", day).update());
  }

  @Override
  public long open() {
    return transactions.forAllTenants(() -> jdbc.sql(OPEN.text()).query(Long.class).single());
  }

  @Override
  public long lock() {
    return transactions.forAllTenants(() -> jdbc.sql(LOCK.text()).query(Long.class).single());
  }

  @Override
  public HourSums stored(long hourMillis) {
    return transactions.forAllTenants(() -> {
      SortedMap<UsageOwner, Long> used = new TreeMap<>();
      jdbc.sql(STORED_USE.text())
          .param("hour", hourMillis)
          .query(row -> {
            used.put(GpuHistoryRows.owner(row), row.getLong("milli_ms"));
          });
      SortedMap<FleetPart, Map<UsageBucket, Long>> fleet = new TreeMap<>();
      jdbc.sql(STORED_FLEET.text())
          .param("hour", hourMillis)
          .query(row -> {
            fleet
                .computeIfAbsent(GpuHistoryRows.part(row), p -> new EnumMap<>(UsageBucket.class))
                .put(Columns.value(row, "bucket", UsageBucket.class), row.getLong("milli_ms"));
          });
      SortedMap<UsageOwner, Long> labelled = new TreeMap<>();
      jdbc.sql(STORED_LABELS.text())
          .param("hour", hourMillis)
          .query(row -> {
            labelled.put(
                GpuHistoryRows.owner(row, Json.texts(Columns.text(row, "labels"))),
                row.getLong("milli_ms"));
          });
      return new HourSums(hourMillis, used, fleet, labelled);
    });
  }

  @Override
  public List<UsageRow> report(UsageQuery query) {
    return transactions.inTenant(
        query.tenant(),
        () -> {
          List<UsageRow> rows = new ArrayList<>();
          for (UsageQuery.Part part : query.parts()) {
            int left = query.limit() - rows.size();
            if (left > 0) {
              rows.addAll(statement(query, part, left).query((row, n) -> row(row, query)).list());
            }
          }
          return rows;
        });
  }

  private JdbcClient.StatementSpec statement(UsageQuery query, UsageQuery.Part part, int limit) {
    JdbcClient.StatementSpec statement =
        jdbc.sql((query.labels().isEmpty() ? REPORT : LABEL_REPORT).text())
            .param("tenant", query.tenant().value())
            .param("everyProject", query.projects() == null)
            .param("projects", ids(query.projects()))
            .param("user", query.user(), Types.VARCHAR)
            .param("period", query.period().name().toLowerCase(Locale.ROOT))
            .param("from", part.from().toEpochMilli())
            .param("to", part.to().toEpochMilli())
            .param("limit", limit);
    for (Group group : Group.values()) {
      statement = statement.param("by" + group.name(), query.groups().contains(group));
    }
    return query.labels().isEmpty() ? statement : labelled(statement, List.copyOf(query.labels()));
  }

  /** Array for {@code unnest}, null for all projects. */
  static String ids(@Nullable List<ProjectId> projects) {
    return Json.ids(
        projects == null ? List.of() : projects.stream().map(ProjectId::value).toList());
  }

  private static JdbcClient.StatementSpec labelled(
      JdbcClient.StatementSpec statement, List<String> labels) {
    JdbcClient.StatementSpec with =
        statement.param("values", LABEL_VALUES).param("other", UsageLabels.OTHER);
    for (int n = 0; n < UsageLabels.MOST; n++) {
      with = with.param("label" + (n + 1), n < labels.size() ? labels.get(n) : null, Types.VARCHAR);
    }
    return with;
  }

  private static UsageRow row(ResultSet row, UsageQuery query) throws SQLException {
    SortedMap<Group, String> group = new TreeMap<>();
    for (Group each : query.groups()) {
      group.put(each, value(row, each));
    }
    SortedMap<String, String> labels = new TreeMap<>();
    for (String label : query.labels()) {
      labels.put(label, Columns.text(row, "label" + (labels.size() + 1)));
    }
    return new UsageRow(
        Instant.ofEpochMilli(row.getLong("begin_ms")),
        group,
        labels,
        row.getLong("milli_ms"),
        row.getBoolean("preliminary"));
  }

  /** Falls back to the id after the deletion of the name. */
  static String named(@Nullable String name, Id id) {
    return name == null ? id.text() : name;
  }

  private static String value(ResultSet row, Group group) throws SQLException {
    return switch (group) {
      case PROJECT ->
          named(row.getString("project_name"), new ProjectId(Columns.uuid(row, "project")));
      case QUEUE -> named(row.getString("queue_name"), new QuotaNodeId(Columns.uuid(row, "queue")));
      case USER -> Columns.text(row, "used_by");
      case POOL -> Columns.text(row, "pool");
      case MODEL -> Columns.text(row, "model");
      case CAPACITY -> Columns.text(row, "capacity");
    };
  }
}
