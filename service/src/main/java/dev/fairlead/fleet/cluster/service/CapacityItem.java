package dev.fairlead.fleet.cluster.service;

import dev.fairlead.kernel.resources.CapacityType;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of one model and capacity type in one pool of a cluster, in milli-GPUs.
 *
 * @param pool null for nodes without a pool
 * @param total sum of the following seven values
 * @param free available now
 * @param allocated GPUs of live attempts, in any state of the GPU or its node
 * @param unhealthy unallocated GPUs that failed, or whose node or cluster is silent, erroneous or
 *     quarantined
 * @param cordoned unallocated healthy GPUs on a cordoned or drained node, or on a drained or
 *     disabled cluster
 * @param foreign held by pods of other systems
 * @param kept free and reserved for jobs that wait for their reservation or that lost a part of
 *     their nodes to a fault
 * @param spare free, on spare nodes for gangs that lose a node to a fault
 * @param largestGang maximum of free whole GPUs in one domain, per level, widest first
 */
@RecordBuilder
public record CapacityItem(
    String cluster,
    @Nullable String pool,
    String model,
    CapacityType capacity,
    long total,
    long free,
    long allocated,
    long unhealthy,
    long cordoned,
    long foreign,
    long kept,
    long spare,
    List<LargestGang> largestGang) {
  /** The domain with the most free whole GPUs. */
  public record LargestGang(String level, long gpus, String domain) {}

  public CapacityItem {
    largestGang = List.copyOf(largestGang);
  }
}
