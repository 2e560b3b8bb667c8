package dev.fairlead.cluster.service;

import dev.fairlead.cluster.ClusterKind;
import dev.fairlead.cluster.ClusterSettings;
import dev.fairlead.cluster.Connection;
import dev.fairlead.resources.CapacityType;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A cluster to be registered: exactly one of {@code kubeconfig} and {@code connection}.
 *
 * @param pricePerGpuHour by GPU model, in micro-units
 */
public record ClusterDraft(
    String name,
    ClusterKind kind,
    @Nullable String kubeconfig,
    @Nullable Connection connection,
    CapacityType capacity,
    SortedMap<String, Long> pricePerGpuHour,
    ClusterSettings settings) {}
