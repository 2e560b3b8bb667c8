package dev.fairlead.cluster.postgres;

import dev.fairlead.cluster.Capabilities;
import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterKind;
import dev.fairlead.cluster.ClusterSettings;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.postgres.Json;
import dev.fairlead.resources.CapacityType;
import java.time.Instant;
import java.util.UUID;

/** Row of {@code cluster} as it is read: without its connection. */
record ClusterRow(
    UUID id,
    String name,
    String kind,
    ClusterEntity.Configured configured,
    ClusterEntity.Observed observed,
    Instant createdAt,
    long version) {
  Cluster cluster() {
    return new Cluster(
        new ClusterId(id),
        name,
        ClusterKind.valueOf(kind),
        ClusterState.valueOf(observed.state()),
        CapacityType.valueOf(configured.capacityType()),
        Json.amounts(configured.price()),
        Json.read(configured.settings(), ClusterSettings.class),
        Json.read(observed.capabilities(), Capabilities.class),
        createdAt,
        observed.lastSeenAt(),
        observed.trouble(),
        version);
  }
}
