package dev.fairlead.money.usage;

import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Hourly capacity used by a tenant in one hour, and the free time of reserved GPUs of the model
 * that it may use. Amounts are thousandths of a GPU times milliseconds.
 *
 * @param hourMillis start of the hour, in milliseconds since 1970
 * @param spilled use of on-demand and spot capacity
 * @param free time of reserved GPUs
 */
public record SpillHour(String model, long hourMillis, long spilled, long free) {
  /**
   * Hours of a span in which the tenant used hourly capacity, or could have used free reserved
   * GPUs, by model, then by hour. Streams the rows while they are read.
   *
   * @param from start of an hour
   * @param to start of a later hour
   */
  public static void each(
      UseLedger ledger, TenantId tenant, Instant from, Instant to, Consumer<SpillHour> each) {
    List<SpillHour> last = new ArrayList<>();
    ledger.report(
        new UseQuery(
                EnumSet.of(UseKind.SPILL, UseKind.RESERVED),
                tenant,
                UseTimes.hours(from.toEpochMilli(), to.toEpochMilli(), false),
                EnumSet.of(UseDimension.MODEL),
                List.of(),
                Map.of(),
                UseQuery.ALL)
            .only(UseDimension.DETAIL, details()),
        sum -> {
          SpillHour next = of(sum);
          if (!last.isEmpty() && last.getFirst().sameHour(next)) {
            next = last.removeFirst().plus(next);
          }
          last.forEach(each);
          last.clear();
          last.add(next);
        });
    last.forEach(each);
  }

  /** All causes, and the bucket of free GPUs. */
  private static List<String> details() {
    List<String> details = new ArrayList<>(List.of(UsageBucket.FREE.name()));
    for (SpillCause cause : SpillCause.values()) {
      details.add(cause.name());
    }
    return details;
  }

  private static SpillHour of(UseSum sum) {
    boolean spilled = sum.key().kind() == UseKind.SPILL;
    return new SpillHour(
        sum.key().text(UseDimension.MODEL),
        sum.beginMillis(),
        spilled ? sum.amount() : 0,
        spilled ? 0 : sum.amount());
  }

  private boolean sameHour(SpillHour other) {
    return hourMillis == other.hourMillis && model.equals(other.model);
  }

  private SpillHour plus(SpillHour other) {
    return new SpillHour(model, hourMillis, spilled + other.spilled, free + other.free);
  }
}
