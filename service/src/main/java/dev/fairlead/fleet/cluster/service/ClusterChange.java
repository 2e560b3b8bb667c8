package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.Connection;
import dev.fairlead.kernel.resources.CapacityType;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * How a registered cluster is to be.
 *
 * @param event what moves its state, null to leave it
 * @param kubeconfig of other credentials; at most one of it and {@code connection}
 * @param pricePerGpuHour by GPU model, in micro-units
 * @param fields names of the fields that the caller gave, for the audit
 */
public record ClusterChange(
    @Nullable ClusterEvent event,
    @Nullable String kubeconfig,
    @Nullable Connection connection,
    CapacityType capacity,
    SortedMap<String, Long> pricePerGpuHour,
    ClusterSettings settings,
    List<String> fields) {
  boolean reconnects() {
    return kubeconfig != null || connection != null;
  }
}
