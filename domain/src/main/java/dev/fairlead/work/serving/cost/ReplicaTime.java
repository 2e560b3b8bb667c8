package dev.fairlead.work.serving.cost;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Use of GPUs of one kind by replicas of a service.
 *
 * @param span index among the requested begins
 * @param pool name of the pool of the nodes, empty if none
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record ReplicaTime(
    ModelServiceId service,
    int span,
    ClusterId cluster,
    String pool,
    Flavor flavor,
    long milliMillis) {
  private static final Set<UseDimension> DIMENSIONS =
      Set.of(
          UseDimension.SERVICE,
          UseDimension.CLUSTER,
          UseDimension.POOL,
          UseDimension.MODEL,
          UseDimension.CAPACITY);

  /**
   * Returns the use by replicas of services, in one query. Statements include the same use. The use
   * in the open hour is up to a minute old.
   *
   * @param begins begins of the spans, milliseconds since 1970 in ascending order, at least one.
   *     Each is the start of an hour
   * @param toMillis end of the last span
   */
  public static List<ReplicaTime> of(
      UseLedger ledger,
      TenantId tenant,
      Set<ModelServiceId> services,
      List<Long> begins,
      long toMillis) {
    UseTimes times = UseTimes.spans(begins, toMillis);
    List<ReplicaTime> found = new ArrayList<>();
    ledger.report(
        UseQuery.of(UseKind.USE, tenant, times, DIMENSIONS)
            .only(UseDimension.SERVICE, services.stream().map(ModelServiceId::bare).toList()),
        sum -> found.add(of(sum, times.span(sum.beginMillis()))));
    return found;
  }

  private static ReplicaTime of(UseSum sum, int span) {
    UseKey key = sum.key();
    return new ReplicaTime(
        new ModelServiceId(IdText.decode(key.text(UseDimension.SERVICE)).orElseThrow()),
        span,
        key.cluster(),
        key.text(UseDimension.POOL),
        key.flavor(),
        sum.amount());
  }
}
