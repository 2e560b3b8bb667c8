package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.service.CapacityItem;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Quantity;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of one model and capacity type in one pool of a cluster.
 *
 * @param pool null for nodes of no pool
 * @param total the sum of the seven that follow
 * @param free can be had now
 * @param allocated held by live attempts
 * @param unhealthy not held and failed, or on a node or cluster that is silent, erroneous or
 *     quarantined
 * @param cordoned not held and well, but on nodes or clusters that are cordoned, drained or
 *     disabled
 * @param foreign held by pods that are not Fairlead's
 * @param kept free, for jobs whose place was left for them or that lost a part of it to a fault
 * @param spare free, on nodes that are kept for gangs that lose one to a fault
 * @param largestGang most whole GPUs free inside one domain, by level, widest first
 */
record CapacityResponse(
    String cluster,
    @Nullable String pool,
    String model,
    CapacityType capacityType,
    BigDecimal total,
    BigDecimal free,
    BigDecimal allocated,
    BigDecimal unhealthy,
    BigDecimal cordoned,
    BigDecimal foreign,
    BigDecimal kept,
    BigDecimal spare,
    List<CapacityItem.LargestGang> largestGang) {
  static CapacityResponse of(CapacityItem item) {
    return new CapacityResponse(
        item.cluster(),
        item.pool(),
        item.model(),
        item.capacity(),
        gpus(item.total()),
        gpus(item.free()),
        gpus(item.allocated()),
        gpus(item.unhealthy()),
        gpus(item.cordoned()),
        gpus(item.foreign()),
        gpus(item.kept()),
        gpus(item.spare()),
        item.largestGang());
  }

  private static BigDecimal gpus(long milli) {
    return new BigDecimal(Quantity.ofMilli(milli));
  }
}
