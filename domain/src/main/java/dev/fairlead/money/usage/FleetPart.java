package dev.fairlead.money.usage;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.people.tenant.TenantId;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The part of the fleet to which a GPU belongs.
 *
 * @param pool name of the pool, empty if none
 * @param owner the only tenant whose jobs it accepts, according to its pool at that time, null for
 *     all
 * @param model as its node reports it
 * @param capacity how it is paid for
 */
public record FleetPart(
    ClusterId cluster, String pool, @Nullable TenantId owner, String model, CapacityType capacity)
    implements Comparable<FleetPart> {
  private static final Comparator<FleetPart> ORDER =
      Comparator.comparing((FleetPart p) -> p.cluster.value())
          .thenComparing(FleetPart::pool)
          .thenComparing(FleetPart::ownerText)
          .thenComparing(FleetPart::model)
          .thenComparing(FleetPart::capacity);

  /** The key of its time in a bucket. */
  UseKey key(UsageBucket bucket) {
    return UseKey.of(UseKind.FLEET)
        .with(UseDimension.CLUSTER, cluster)
        .with(UseDimension.POOL, pool)
        .with(UseDimension.OWNER, owner)
        .with(new Flavor(model, capacity))
        .with(UseDimension.DETAIL, bucket.name());
  }

  private String ownerText() {
    return owner == null ? "" : owner.text();
  }

  @Override
  public int compareTo(FleetPart other) {
    return ORDER.compare(this, other);
  }
}
