package dev.fairlead.money.usage.ledger.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.people.tenant.TenantId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * In-memory implementation of {@link UseLedger}. It sums hours in each report, and objects have no
 * names.
 */
public final class MemoryUseLedger implements UseLedger {
  private final MemoryDatabase database;
  private final MemoryTable<Long, UseFacts> hours;
  private final LongSupplier now;
  private final LongSupplier open;

  /**
   * @param now time of the database
   * @param open start of the first hour that may still change
   */
  public MemoryUseLedger(MemoryDatabase database, LongSupplier now, LongSupplier open) {
    this.database = database;
    this.hours = database.table();
    this.now = now;
    this.open = open;
  }

  private record Row(long beginMillis, UseKey key) {}

  @Override
  public long now() {
    return now.getAsLong();
  }

  @Override
  public long open() {
    return open.getAsLong();
  }

  @Override
  public boolean sumDay() {
    return false;
  }

  @Override
  public void sumDay(long dayMillis) {}

  @Override
  public List<HourDifference> dayDifferences(long dayMillis) {
    return List.of();
  }

  @Override
  public void write(UseFacts hour) {
    database.run(() -> hours.put(hour.startMillis(), hour));
  }

  /** The facts of an hour, if it was written. */
  public Optional<UseFacts> find(long hourMillis) {
    return database.call(() -> hours.find(hourMillis));
  }

  @Override
  public UseFacts stored(long hourMillis) {
    return find(hourMillis).orElseGet(() -> new UseFacts(hourMillis, new TreeMap<>()));
  }

  /** All hours in order. */
  public List<UseFacts> all() {
    return database.call(() -> List.copyOf(hours.all()));
  }

  @Override
  public void report(UseQuery query, Consumer<UseSum> each) {
    SortedMap<Row, Long> sums =
        new TreeMap<>(
            query.times().first()
                ? Comparator.comparing(Row::beginMillis).thenComparing(Row::key)
                : Comparator.comparing((Row row) -> withoutKind(row.key()))
                    .thenComparing(Row::beginMillis)
                    .thenComparing(Row::key));
    for (UseFacts hour : all()) {
      if (hour.startMillis() >= query.times().fromMillis()
          && hour.startMillis() < query.times().toMillis()) {
        long begin = query.times().begin(hour.startMillis());
        hour.sums().forEach((key, amount) -> add(sums, query, begin, key, amount));
      }
    }
    sums.values().removeIf(amount -> !query.labels().isEmpty() && amount == 0);
    merged(sums, query).entrySet().stream()
        .limit(query.limit())
        .forEach(sum ->
            each.accept(
                new UseSum(
                    sum.getKey().key(),
                    UseSum.Names.NONE,
                    sum.getKey().beginMillis(),
                    sum.getValue())));
  }

  private static UseKey withoutKind(UseKey key) {
    return new UseKey(UseKind.USE, key.at(), key.labels());
  }

  /** Labelled use counts with its labels, and is subtracted from the use without labels. */
  private static void add(
      SortedMap<Row, Long> sums, UseQuery query, long begin, UseKey key, long amount) {
    if (!query.kinds().contains(key.kind())
        || !visible(query.tenant(), key)
        || !query.only().entrySet().stream()
            .allMatch(only -> only.getValue().contains(key.at().getOrDefault(only.getKey(), "")))) {
      return;
    }
    boolean byLabel = !query.labels().isEmpty();
    UseKey row = row(query, key, byLabel ? UseKind.USE : key.kind(), key.labels());
    sums.merge(new Row(begin, row), amount, Long::sum);
    if (byLabel && key.kind() == UseKind.LABELLED) {
      UseKey rest = row(query, key, UseKind.USE, Collections.emptySortedMap());
      sums.merge(new Row(begin, rest), -amount, Long::sum);
    }
  }

  private static boolean visible(@Nullable TenantId tenant, UseKey key) {
    return tenant == null
        || tenant.equals(key.tenant())
        || key.tenant() == null && key.kind() == UseKind.RESERVED;
  }

  private static UseKey row(
      UseQuery query, UseKey key, UseKind kind, SortedMap<String, String> labels) {
    Map<UseDimension, String> at = new TreeMap<>(key.at());
    at.keySet().retainAll(query.by());
    SortedMap<String, String> values = new TreeMap<>();
    query.labels().forEach(label -> values.put(label, labels.getOrDefault(label, "")));
    return new UseKey(kind, at, values);
  }

  /** Replaces values beyond the largest of each label. */
  private static SortedMap<Row, Long> merged(SortedMap<Row, Long> sums, UseQuery query) {
    SortedMap<Row, Long> rows = new TreeMap<>(sums);
    for (String label : query.labels()) {
      Map<String, Long> values =
          rows.entrySet().stream()
              .filter(row -> !row.getKey().key().labels().getOrDefault(label, "").isEmpty())
              .collect(
                  Collectors.groupingBy(
                      row -> row.getKey().key().labels().getOrDefault(label, ""),
                      TreeMap::new,
                      Collectors.summingLong(Map.Entry::getValue)));
      List<Map.Entry<String, Long>> ranked = new ArrayList<>(values.entrySet());
      ranked.sort(Map.Entry.<String, Long>comparingByValue().reversed());
      Set<String> small = new HashSet<>();
      ranked.stream().skip(UseQuery.MOST_VALUES).forEach(value -> small.add(value.getKey()));
      if (!small.isEmpty()) {
        SortedMap<Row, Long> next = new TreeMap<>(sums.comparator());
        rows.forEach((row, amount) -> next.merge(other(row, label, small), amount, Long::sum));
        rows = next;
      }
    }
    return rows;
  }

  private static Row other(Row row, String label, Set<String> small) {
    SortedMap<String, String> labels = new TreeMap<>(row.key().labels());
    labels.computeIfPresent(label, (key, value) -> small.contains(value) ? UseQuery.OTHER : value);
    return new Row(row.beginMillis(), new UseKey(row.key().kind(), row.key().at(), labels));
  }
}
