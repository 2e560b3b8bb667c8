package dev.fairlead.money.statement;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.TenantId;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that no job used in one span of a month.
 *
 * @param span index among the requested begins
 * @param pool empty for nodes of none
 * @param owner the only tenant whose jobs its pool accepts, null for all
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record IdleUse(
    int span,
    ClusterId cluster,
    String pool,
    @Nullable TenantId owner,
    Flavor flavor,
    UsageBucket bucket,
    long milliMillis) {
  /** Capacity that no job used in each span. Streams the rows while they are read. */
  public static void each(UseLedger ledger, PriceSpans spans, Consumer<IdleUse> each) {
    UseTimes times = UseTimes.spans(spans.begins(), spans.endMillis());
    List<String> unused =
        EnumSet.complementOf(EnumSet.of(UsageBucket.USED)).stream().map(Enum::name).toList();
    ledger.report(
        UseQuery.of(UseKind.FLEET, null, times, UseKind.FLEET.dimensions())
            .only(UseDimension.DETAIL, unused),
        sum -> each.accept(of(sum, times.span(sum.beginMillis()))));
  }

  private static IdleUse of(UseSum sum, int span) {
    UseKey key = sum.key();
    return new IdleUse(
        span,
        key.cluster(),
        key.text(UseDimension.POOL),
        key.owner(),
        key.flavor(),
        UsageBucket.valueOf(key.text(UseDimension.DETAIL)),
        sum.amount());
  }
}
