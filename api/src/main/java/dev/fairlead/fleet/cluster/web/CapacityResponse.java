package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.service.CapacityItem;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of one model and capacity type in one pool of a cluster.
 *
 * @param pool name of the pool, null for nodes without a pool
 * @param total sum of the seven numbers below
 * @param free available GPUs
 * @param allocated GPUs held by live attempts
 * @param unhealthy unallocated GPUs that failed, or that are on a node or cluster that is silent,
 *     failed or quarantined
 * @param cordoned unallocated healthy GPUs on nodes or clusters that are cordoned, drained or
 *     disabled
 * @param foreign GPUs held by other pods
 * @param kept free GPUs that are reserved for jobs, or for jobs that lost a part of their capacity
 *     to a fault
 * @param spare free GPUs on spare nodes for gangs that lose a node to a fault
 * @param largestGang largest number of free whole GPUs in one domain, by level, widest first
 */
@RecordBuilder
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
    return CapacityResponseBuilder.builder()
        .cluster(item.cluster())
        .pool(item.pool())
        .model(item.model())
        .capacityType(item.capacity())
        .total(gpus(item.total()))
        .free(gpus(item.free()))
        .allocated(gpus(item.allocated()))
        .unhealthy(gpus(item.unhealthy()))
        .cordoned(gpus(item.cordoned()))
        .foreign(gpus(item.foreign()))
        .kept(gpus(item.kept()))
        .spare(gpus(item.spare()))
        .largestGang(item.largestGang())
        .build();
  }

  private static BigDecimal gpus(long milli) {
    return new BigDecimal(Quantity.ofMilli(milli));
  }
}
