package dev.fairlead.money.usage;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseTimes;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;

/**
 * Use of one kind of capacity by all tenants in one hour.
 *
 * @param hourMillis start of the hour, in milliseconds since 1970
 * @param pool empty for nodes of none
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record FleetUse(
    long hourMillis, ClusterId cluster, String pool, Flavor flavor, long milliMillis) {
  /**
   * Usage of reserved capacity by all tenants in each hour of a span, the rows of one hour
   * together. Streams the rows while they are read.
   *
   * @param from start of an hour
   * @param to start of a later hour
   */
  public static void ofReserved(
      UseLedger ledger, Instant from, Instant to, Consumer<FleetUse> each) {
    ledger.report(
        UseQuery.of(
                UseKind.FLEET,
                null,
                UseTimes.hours(from.toEpochMilli(), to.toEpochMilli(), true),
                EnumSet.of(
                    UseDimension.CLUSTER,
                    UseDimension.POOL,
                    UseDimension.MODEL,
                    UseDimension.CAPACITY))
            .only(UseDimension.DETAIL, List.of(UsageBucket.USED.name()))
            .only(UseDimension.CAPACITY, List.of(CapacityType.RESERVED.name())),
        sum ->
            each.accept(
                new FleetUse(
                    sum.beginMillis(),
                    sum.key().cluster(),
                    sum.key().text(UseDimension.POOL),
                    sum.key().flavor(),
                    sum.amount())));
  }
}
