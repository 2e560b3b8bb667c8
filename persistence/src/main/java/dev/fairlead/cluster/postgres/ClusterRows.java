package dev.fairlead.cluster.postgres;

import dev.fairlead.cluster.Capabilities;
import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.ClusterKind;
import dev.fairlead.cluster.ClusterSettings;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.postgres.Json;
import dev.fairlead.resources.CapacityType;

/** Clusters to rows and back. */
final class ClusterRows {
  private ClusterRows() {}

  static ClusterEntity row(Cluster cluster, String connection) {
    ClusterEntity row = new ClusterEntity();
    row.id = cluster.id().value();
    row.name = cluster.name();
    row.kind = cluster.kind().name();
    row.state = cluster.state().name();
    row.capacityType = cluster.capacity().name();
    row.price = Json.write(cluster.pricePerGpuHour());
    row.settings = Json.write(cluster.settings());
    row.capabilities = Json.write(cluster.capabilities());
    row.connection = connection;
    row.createdAt = cluster.createdAt();
    row.lastSeenAt = cluster.lastSeenAt();
    row.trouble = cluster.trouble();
    row.version = cluster.version();
    return row;
  }

  static Cluster cluster(ClusterEntity row) {
    return new Cluster(
        new ClusterId(row.id),
        row.name,
        ClusterKind.valueOf(row.kind),
        ClusterState.valueOf(row.state),
        CapacityType.valueOf(row.capacityType),
        Json.amounts(row.price),
        Json.read(row.settings, ClusterSettings.class),
        Json.read(row.capabilities, Capabilities.class),
        row.createdAt,
        row.lastSeenAt,
        row.trouble,
        row.version);
  }
}
