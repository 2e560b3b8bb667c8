package dev.fairlead.fleet.cluster.service;

import dev.fairlead.kernel.resources.CapacityType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of one model and capacity type in one pool of a cluster, in milli-GPUs.
 *
 * @param pool null for nodes of no pool
 * @param total the sum of the seven that follow
 * @param free can be had now
 * @param allocated held by live attempts, whatever became of the GPU or its node
 * @param unhealthy not held and failed, or on a node or cluster that is silent, erroneous or
 *     quarantined
 * @param cordoned not held and well, where somebody lets nothing new come: nodes that are cordoned
 *     or drained, clusters that are drained or disabled
 * @param foreign held by pods that are not Fairlead's
 * @param kept free, for jobs whose place was left for them or that lost a part of it to a fault
 * @param spare free, on nodes that are kept for gangs that lose one to a fault
 * @param largestGang most whole GPUs free inside one domain, per level, widest first
 */
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
  /** The domain with most free whole GPUs. */
  public record LargestGang(String level, long gpus, String domain) {}

  public CapacityItem {
    largestGang = List.copyOf(largestGang);
  }
}
