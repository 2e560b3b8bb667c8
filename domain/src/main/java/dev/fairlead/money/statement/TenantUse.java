package dev.fairlead.money.statement;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.TenantId;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Usage of one model by a tenant on shared capacity.
 *
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record TenantUse(TenantId tenant, String model, long milliMillis) {
  /** Capacity of one hour. */
  private record Place(long hourMillis, ClusterId cluster, String pool) {
    private static Place of(UseSum sum) {
      return new Place(sum.beginMillis(), sum.key().cluster(), sum.key().text(UseDimension.POOL));
    }
  }

  /** Use by tenants in all spans, without pools that belonged to one tenant in the hour. */
  public static List<TenantUse> of(UseLedger ledger, PriceSpans spans) {
    Set<UseDimension> by = EnumSet.of(UseDimension.TENANT, UseDimension.MODEL);
    long from = spans.begins().getFirst();
    SortedMap<UseKey, Long> used = new TreeMap<>();
    ledger.report(
        UseQuery.of(UseKind.USE, null, UseTimes.spans(List.of(from), spans.endMillis()), by),
        sum -> used.put(sum.key(), sum.amount()));
    UseTimes hours = UseTimes.hours(from, spans.endMillis(), true);
    Set<Place> owned = owned(ledger, hours);
    if (!owned.isEmpty()) {
      Set<UseDimension> placed = EnumSet.copyOf(by);
      placed.addAll(EnumSet.of(UseDimension.CLUSTER, UseDimension.POOL));
      ledger.report(
          UseQuery.of(UseKind.USE, null, hours, placed)
              .only(UseDimension.POOL, owned.stream().map(Place::pool).distinct().toList()),
          sum -> {
            if (owned.contains(Place.of(sum))) {
              UseKey key = sum.key().without(UseDimension.CLUSTER).without(UseDimension.POOL);
              used.merge(key, -sum.amount(), Math::addExact);
            }
          });
    }
    return used.entrySet().stream()
        .filter(use -> use.getValue() != 0)
        .map(use ->
            new TenantUse(
                Objects.requireNonNull(use.getKey().tenant(), "use has a tenant"),
                use.getKey().text(UseDimension.MODEL),
                use.getValue()))
        .toList();
  }

  private static Set<Place> owned(UseLedger ledger, UseTimes hours) {
    Set<Place> owned = new LinkedHashSet<>();
    ledger.report(
        UseQuery.of(
            UseKind.FLEET,
            null,
            hours,
            EnumSet.of(UseDimension.CLUSTER, UseDimension.POOL, UseDimension.OWNER)),
        sum -> {
          if (sum.key().owner() != null) {
            owned.add(Place.of(sum));
          }
        });
    return owned;
  }
}
