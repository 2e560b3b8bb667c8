package dev.fairlead.cluster.service;

import dev.fairlead.resources.CapacityType;
import java.util.List;

/**
 * GPUs of one model on one cluster, in milli-GPUs.
 *
 * @param free usable and not allocated
 * @param unhealthy on nodes that take nothing, or failed
 * @param largestGang most whole GPUs free inside one domain, per level, widest first
 */
public record CapacityItem(
    String cluster,
    String model,
    CapacityType capacity,
    long total,
    long free,
    long allocated,
    long unhealthy,
    List<LargestGang> largestGang) {
  /** The domain with most free whole GPUs. */
  public record LargestGang(String level, long gpus, String domain) {}

  public CapacityItem {
    largestGang = List.copyOf(largestGang);
  }
}
