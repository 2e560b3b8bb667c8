package dev.fairlead.money.usage;

import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Label keys by which the usage of a tenant is summed from an hour. A use has the labels that its
 * job had when the attempt started.
 *
 * @param from start of the first hour
 * @param keys at most {@link #MOST}, by name, empty if none
 * @param by name of the caller that named them, empty before any did
 */
public record UsageLabels(Instant from, List<String> keys, String by) {
  /** Keys that count at a time. */
  public static final int MOST = 3;

  /** Maximum values of one key per tenant and hour, in addition to {@link #OTHER}. */
  public static final int MOST_VALUES = 100;

  /** Represents all other values. A label with this value is included. */
  public static final String OTHER = UseQuery.OTHER;

  /** Before any were named. */
  public static final UsageLabels NONE = new UsageLabels(Instant.EPOCH, List.of(), "");

  private static final SortedMap<String, Long> NO_VALUES = Collections.emptySortedMap();

  public UsageLabels {
    keys = keys.stream().sorted().toList();
  }

  private record Key(TenantId tenant, String label) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing((Key key) -> key.tenant.value()).thenComparing(Key::label);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * Limits the values of each key and tenant to the {@link #MOST_VALUES} with the most time, ties
   * by name.
   */
  static SortedMap<UsageOwner, Long> bounded(SortedMap<UsageOwner, Long> used) {
    SortedMap<Key, SortedMap<String, Long>> values = new TreeMap<>();
    used.forEach((owner, amount) ->
        owner
            .labels()
            .forEach((label, value) ->
                values
                    .computeIfAbsent(new Key(owner.tenant(), label), k -> new TreeMap<>())
                    .merge(value, amount, Long::sum)));
    values.replaceAll((key, sums) -> largest(sums));
    SortedMap<UsageOwner, Long> bounded = new TreeMap<>();
    used.forEach((owner, amount) -> {
      SortedMap<String, String> labels = new TreeMap<>(owner.labels());
      labels.replaceAll((label, value) ->
          values.getOrDefault(new Key(owner.tenant(), label), NO_VALUES).containsKey(value)
              ? value
              : OTHER);
      bounded.merge(owner.with(labels), amount, Long::sum);
    });
    return bounded;
  }

  private static SortedMap<String, Long> largest(SortedMap<String, Long> sums) {
    SortedMap<String, Long> kept = new TreeMap<>();
    sums.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(MOST_VALUES)
        .forEach(each -> kept.put(each.getKey(), each.getValue()));
    return kept;
  }
}
