package dev.fairlead.money.statement;

import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.TenantId;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Usage in one span of a month.
 *
 * @param span index among the requested begins
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record StatementUse(StatementKey key, Names names, int span, long milliMillis) {
  private static final Set<UseDimension> DIMENSIONS =
      Set.of(
          UseDimension.PROJECT,
          UseDimension.QUEUE,
          UseDimension.CLUSTER,
          UseDimension.POOL,
          UseDimension.MODEL,
          UseDimension.CAPACITY);

  /**
   * Names of the objects when the use is read.
   *
   * @param project its id if it no longer exists
   * @param queue its id if it no longer exists
   * @param cluster its id if it no longer exists
   * @param costCentre cost centre of the project, null if none
   */
  public record Names(String project, String queue, String cluster, @Nullable String costCentre) {}

  /**
   * Usage of the tenant in each span, by the names of project, queue and cluster: rows of one key
   * together, in order of their spans. Streams the rows while they are read.
   */
  public static void each(
      UseLedger ledger, TenantId tenant, PriceSpans spans, Consumer<StatementUse> each) {
    UseTimes times = UseTimes.spans(spans.begins(), spans.endMillis());
    ledger.report(
        UseQuery.of(UseKind.USE, tenant, times, DIMENSIONS),
        sum -> each.accept(of(sum, times.span(sum.beginMillis()))));
  }

  private static StatementUse of(UseSum sum, int span) {
    UseKey key = sum.key();
    return new StatementUse(
        new StatementKey(
            key.project(), key.queue(), key.cluster(), key.text(UseDimension.POOL), key.flavor()),
        new Names(sum.project(), sum.queue(), sum.cluster(), sum.names().costCentre()),
        span,
        sum.amount());
  }
}
