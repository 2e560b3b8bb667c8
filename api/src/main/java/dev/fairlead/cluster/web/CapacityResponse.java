package dev.fairlead.cluster.web;

import dev.fairlead.cluster.service.CapacityItem;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Quantity;
import java.math.BigDecimal;
import java.util.List;

/**
 * GPUs of one model on one cluster.
 *
 * @param free usable and not allocated
 * @param unhealthy on nodes that take nothing, or failed
 * @param largestGang most whole GPUs free inside one domain, by level, widest first
 */
record CapacityResponse(
    String cluster,
    String model,
    CapacityType capacityType,
    BigDecimal total,
    BigDecimal free,
    BigDecimal allocated,
    BigDecimal unhealthy,
    List<CapacityItem.LargestGang> largestGang) {
  static CapacityResponse of(CapacityItem item) {
    return new CapacityResponse(
        item.cluster(),
        item.model(),
        item.capacity(),
        gpus(item.total()),
        gpus(item.free()),
        gpus(item.allocated()),
        gpus(item.unhealthy()),
        item.largestGang());
  }

  private static BigDecimal gpus(long milli) {
    return new BigDecimal(Quantity.ofMilli(milli));
  }
}
