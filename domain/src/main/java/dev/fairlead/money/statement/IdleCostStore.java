package dev.fairlead.money.statement;

import dev.fairlead.money.price.PriceSpans;
import java.util.List;
import java.util.function.Consumer;

/**
 * Policies for the cost of unused capacity, and the hours to which they apply. Reads rows of the
 * platform, which no tenant reads itself.
 */
public interface IdleCostStore {
  /** Policies in order of creation. They are appended and read, never changed or removed. */
  List<IdleCostPolicy> policies();

  void insert(IdleCostPolicy policy);

  /**
   * Capacity that no job used in each span. Omits hours from before capacity types were stored.
   * Streams the rows while they are read.
   */
  void idle(PriceSpans spans, Consumer<IdleUse> each);

  /** Use by tenants in all spans, without pools that belonged to one tenant in the hour. */
  List<TenantUse> uses(PriceSpans spans);
}
