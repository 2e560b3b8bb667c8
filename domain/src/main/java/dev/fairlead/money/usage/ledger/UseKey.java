package dev.fairlead.money.usage.ledger;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Dimensions of one fact or of one row of a report.
 *
 * @param at values by dimension, ids as UUIDs. A dimension without a value is absent
 * @param labels values by label, empty without labels
 */
public record UseKey(UseKind kind, Map<UseDimension, String> at, SortedMap<String, String> labels)
    implements Comparable<UseKey> {
  private static final SortedMap<String, String> NO_LABELS = Collections.emptySortedMap();

  public UseKey {
    Map<UseDimension, String> values = new EnumMap<>(UseDimension.class);
    values.putAll(at);
    at = Collections.unmodifiableMap(values);
    labels =
        labels.isEmpty() ? NO_LABELS : Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /** A key without values. */
  public static UseKey of(UseKind kind) {
    return new UseKey(kind, Map.of(), NO_LABELS);
  }

  public UseKey with(UseDimension dimension, @Nullable String value) {
    if (value == null) {
      return this;
    }
    Map<UseDimension, String> values = new EnumMap<>(UseDimension.class);
    values.putAll(at);
    values.put(dimension, value);
    return new UseKey(kind, values, labels);
  }

  public UseKey with(UseDimension dimension, @Nullable Id id) {
    return with(dimension, id == null ? null : id.value().toString());
  }

  public UseKey with(Flavor flavor) {
    return with(UseDimension.MODEL, flavor.model())
        .with(UseDimension.CAPACITY, flavor.capacity().name());
  }

  public UseKey without(UseDimension dimension) {
    Map<UseDimension, String> values = new EnumMap<>(UseDimension.class);
    values.putAll(at);
    values.remove(dimension);
    return new UseKey(kind, values, labels);
  }

  /** The key of the sum of the day. */
  public UseKey ofDay() {
    Map<UseDimension, String> values = new EnumMap<>(UseDimension.class);
    values.putAll(at);
    values.keySet().retainAll(kind.ofDays());
    return new UseKey(kind, values, labels);
  }

  /** The value of a dimension that the kind has. */
  public String text(UseDimension dimension) {
    return Objects.requireNonNull(at.get(dimension), dimension.name());
  }

  private UUID id(UseDimension dimension) {
    return UUID.fromString(text(dimension));
  }

  public @Nullable TenantId tenant() {
    return at.containsKey(UseDimension.TENANT) ? new TenantId(id(UseDimension.TENANT)) : null;
  }

  public @Nullable TenantId owner() {
    return at.containsKey(UseDimension.OWNER) ? new TenantId(id(UseDimension.OWNER)) : null;
  }

  public ProjectId project() {
    return new ProjectId(id(UseDimension.PROJECT));
  }

  public QuotaNodeId queue() {
    return new QuotaNodeId(id(UseDimension.QUEUE));
  }

  public ClusterId cluster() {
    return new ClusterId(id(UseDimension.CLUSTER));
  }

  public CapacityType capacity() {
    return CapacityType.valueOf(text(UseDimension.CAPACITY));
  }

  public Flavor flavor() {
    return new Flavor(text(UseDimension.MODEL), capacity());
  }

  /** Its parts by name, for operators. */
  SortedMap<String, String> names() {
    SortedMap<String, String> names = new TreeMap<>();
    names.put("kind", kind.name());
    at.forEach((dimension, value) -> names.put(kind.name(dimension), dimension.shown(value)));
    labels.forEach((label, value) -> names.put("label:" + label, value));
    return names;
  }

  @Override
  public int compareTo(UseKey other) {
    int byKind = kind.compareTo(other.kind);
    for (UseDimension each : UseDimension.values()) {
      if (byKind == 0) {
        byKind = at.getOrDefault(each, "").compareTo(other.at.getOrDefault(each, ""));
      }
    }
    return byKind == 0 ? labels.toString().compareTo(other.labels.toString()) : byKind;
  }
}
