package dev.fairlead.money.usage.ledger;

import dev.fairlead.people.tenant.TenantId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects facts and groups them by any set of dimensions.
 *
 * @param kinds one row is of one kind. With labels, use and its labelled part together
 * @param tenant its facts, and reserved GPUs that all tenants may use. Null for all facts
 * @param by dimensions of the rows
 * @param labels keys of labels of the rows, at most three. Values beyond the {@link #MOST_VALUES}
 *     largest are merged, and use without a label has an empty value
 * @param only accepted values by dimension
 * @param limit maximum number of rows
 */
public record UseQuery(
    Set<UseKind> kinds,
    @Nullable TenantId tenant,
    UseTimes times,
    Set<UseDimension> by,
    List<String> labels,
    Map<UseDimension, List<String>> only,
    int limit) {
  /** Values of one label in a report. */
  public static final int MOST_VALUES = 1_000;

  /** Represents all other values. A label with this value is included. */
  public static final String OTHER = "other";

  /** No limit. */
  public static final int ALL = Integer.MAX_VALUE;

  public UseQuery {
    kinds = Collections.unmodifiableSet(EnumSet.copyOf(kinds));
    Set<UseDimension> dimensions = EnumSet.noneOf(UseDimension.class);
    dimensions.addAll(by);
    by = Collections.unmodifiableSet(dimensions);
    labels = List.copyOf(labels);
    Map<UseDimension, List<String>> values = new EnumMap<>(UseDimension.class);
    values.putAll(only);
    only = Collections.unmodifiableMap(values);
  }

  /** A query of all values without labels. */
  public static UseQuery of(
      UseKind kind, @Nullable TenantId tenant, UseTimes times, Set<UseDimension> by) {
    return new UseQuery(Set.of(kind), tenant, times, by, List.of(), Map.of(), ALL);
  }

  public UseQuery only(UseDimension dimension, List<String> values) {
    Map<UseDimension, List<String>> more = new EnumMap<>(UseDimension.class);
    more.putAll(only);
    more.put(dimension, List.copyOf(values));
    return new UseQuery(kinds, tenant, times, by, labels, more, limit);
  }

  public UseQuery within(UseTimes other, int most) {
    return new UseQuery(kinds, tenant, other, by, labels, only, most);
  }

  /** Returns whether sums of days have all that the query needs. */
  public boolean readsDays() {
    return times.areOfDays()
        && kinds.stream()
            .allMatch(kind ->
                !kind.ofDays().isEmpty()
                    && kind.ofDays().containsAll(by)
                    && kind.ofDays().containsAll(only.keySet()));
  }

  /** Returns whether facts without a tenant count too. */
  public boolean shared() {
    return kinds.contains(UseKind.RESERVED);
  }
}
