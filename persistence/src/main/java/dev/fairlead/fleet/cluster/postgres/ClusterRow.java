package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterBuilder;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.resources.CapacityType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;

/** Read model of a row of {@code cluster}, without its connection. */
record ClusterRow(
    UUID id,
    String name,
    String kind,
    ClusterEntity.Configured configured,
    ClusterEntity.Observed observed,
    Instant createdAt,
    long version) {
  static ClusterRow of(ResultSet row) throws SQLException {
    return new ClusterRow(
        Columns.uuid(row, "id"),
        Columns.text(row, "name"),
        Columns.text(row, "kind"),
        new ClusterEntity.Configured(
            Columns.text(row, "capacity_type"),
            Columns.text(row, "price"),
            Columns.text(row, "settings")),
        new ClusterEntity.Observed(
            Columns.text(row, "state"),
            Columns.text(row, "capabilities"),
            Columns.instantOrNull(row, "last_seen_at"),
            row.getString("trouble")),
        Columns.instant(row, "created_at"),
        row.getLong("version"));
  }

  Cluster cluster() {
    return ClusterBuilder.builder()
        .id(new ClusterId(id))
        .name(name)
        .kind(ClusterKind.valueOf(kind))
        .state(ClusterState.valueOf(observed.state()))
        .capacity(CapacityType.valueOf(configured.capacityType()))
        .pricePerGpuHour(Json.amounts(configured.price()))
        .settings(Json.read(configured.settings(), ClusterSettings.class))
        .capabilities(Json.read(observed.capabilities(), Capabilities.class))
        .createdAt(createdAt)
        .lastSeenAt(observed.lastSeenAt())
        .trouble(observed.trouble())
        .version(version)
        .build();
  }
}
