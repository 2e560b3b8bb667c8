package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.resources.CapacityType;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Change of a registered cluster.
 *
 * @param event event that changes its state, null to retain the state
 * @param kubeconfig new credentials, null if {@code connection} is given
 * @param pricePerGpuHour by GPU model, in micro-units
 * @param fields names of the fields in the request, for the audit
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
