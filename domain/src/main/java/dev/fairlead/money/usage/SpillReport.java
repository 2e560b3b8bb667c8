package dev.fairlead.money.usage;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reserved capacity, and the usage of hourly capacity in addition. Amounts are thousandths of a GPU
 * times milliseconds.
 *
 * @param finalUntil hours that begin before it no longer change
 */
public record SpillReport(Instant finalUntil, List<Reserved> reserved, List<Spilled> spill) {
  /**
   * Time of reserved GPUs of one model.
   *
   * @param tenant name of the only tenant that may use them, null for all
   */
  public record Reserved(@Nullable String tenant, String model, Map<UsageBucket, Long> buckets) {
    public Reserved {
      buckets = Collections.unmodifiableMap(new EnumMap<>(buckets));
    }
  }

  /**
   * Usage of a tenant.
   *
   * @param tenant its name
   * @param causes usage by cause. Adds up to its total usage
   */
  public record Spilled(
      String tenant, String model, CapacityType capacity, Map<SpillCause, Long> causes) {
    public Spilled {
      causes = Collections.unmodifiableMap(new EnumMap<>(causes));
    }

    public long used() {
      return causes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Maximum use that reserved capacity could have served. */
    public long servable() {
      return causes.entrySet().stream()
          .filter(cause -> cause.getKey().servable())
          .mapToLong(Map.Entry::getValue)
          .sum();
    }
  }

  public SpillReport {
    reserved = List.copyOf(reserved);
    spill = List.copyOf(spill);
  }

  /**
   * Sums the hours that begin in a span.
   *
   * @param tenant its usage, and reserved GPUs available to it, null for all tenants
   */
  public static SpillReport of(
      UseLedger ledger, @Nullable TenantId tenant, Instant from, Instant to) {
    UseTimes time = UseTimes.spans(List.of(from.toEpochMilli()), to.toEpochMilli());
    Map<UseKey, Map<UsageBucket, Long>> buckets = new LinkedHashMap<>();
    Map<UseKey, Map<SpillCause, Long>> causes = new LinkedHashMap<>();
    Map<UseKey, String> tenants = new LinkedHashMap<>();
    ledger.report(
        UseQuery.of(UseKind.RESERVED, tenant, time, UseKind.RESERVED.dimensions()),
        sum -> sorted(buckets, tenants, UsageBucket.class, sum));
    ledger.report(
        UseQuery.of(UseKind.SPILL, tenant, time, UseKind.SPILL.dimensions()),
        sum -> sorted(causes, tenants, SpillCause.class, sum));
    List<Reserved> reserved = new ArrayList<>();
    buckets.forEach((key, its) ->
        reserved.add(new Reserved(tenants.get(key), key.text(UseDimension.MODEL), its)));
    List<Spilled> spill = new ArrayList<>();
    causes.forEach((key, its) ->
        spill.add(
            new Spilled(
                String.valueOf(tenants.get(key)),
                key.text(UseDimension.MODEL),
                key.capacity(),
                its)));
    return new SpillReport(Instant.ofEpochMilli(ledger.open()), reserved, spill);
  }

  /** Adds an amount to the details of its row, and remembers the tenant of the row. */
  private static <E extends Enum<E>> void sorted(
      Map<UseKey, Map<E, Long>> rows, Map<UseKey, String> tenants, Class<E> type, UseSum sum) {
    UseKey row = sum.key().without(UseDimension.DETAIL);
    String tenant = sum.tenant();
    if (tenant != null) {
      tenants.put(row, tenant);
    }
    rows.computeIfAbsent(row, k -> new EnumMap<>(type))
        .put(Enum.valueOf(type, sum.key().text(UseDimension.DETAIL)), sum.amount());
  }
}
