package dev.fairlead.money.statement;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigInteger;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Unused capacity at one price, in total or as a tenant's share. In a correction both amounts may
 * be negative.
 *
 * @param micros cost in millionths of a unit of the currency, 0 without a price
 */
public record IdleLine(Key key, BigInteger milliMillis, BigInteger micros) {
  /**
   * Key of a line.
   *
   * @param owner the only tenant whose jobs it accepted, null for all
   * @param rule rule by which tenants are charged
   * @param perGpuHour null if no price applied
   */
  public record Key(
      @Nullable TenantId owner,
      Flavor flavor,
      UsageBucket bucket,
      IdleRule rule,
      @Nullable Money perGpuHour)
      implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing((Key key) -> key.owner == null ? "" : key.owner.text())
            .thenComparing(Key::flavor)
            .thenComparing(Key::bucket)
            .thenComparing(Key::rule)
            .thenComparing(key -> key.perGpuHour == null ? "" : key.perGpuHour.currency())
            .thenComparingLong(key -> key.perGpuHour == null ? 0 : key.perGpuHour.micros());

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /** No idle cost. */
  public static IdleLine none(Key key) {
    return new IdleLine(key, BigInteger.ZERO, BigInteger.ZERO);
  }

  public boolean isNothing() {
    return milliMillis.signum() == 0 && micros.signum() == 0;
  }

  /** Returns the line minus another line with the same key. */
  public IdleLine minus(IdleLine other) {
    return new IdleLine(
        key, milliMillis.subtract(other.milliMillis), micros.subtract(other.micros));
  }
}
