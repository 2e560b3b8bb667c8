package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.resources.CapacityType;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Request to register a cluster, with either {@code kubeconfig} or {@code connection}.
 *
 * @param pricePerGpuHour by GPU model, in micro-units
 */
public record NewCluster(
    String name,
    ClusterKind kind,
    @Nullable String kubeconfig,
    @Nullable Connection connection,
    CapacityType capacity,
    SortedMap<String, Long> pricePerGpuHour,
    ClusterSettings settings) {}
