package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceBuilder;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.device.DeviceObservation;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link DeviceStore} on PostgreSQL. Devices belong to the fleet: the role of a tenant cannot read
 * them.
 */
@Component
class PostgresDeviceStore implements DeviceStore {
  private static final SqlFile ENTER = SqlFile.named("health/enter-devices");
  private static final SqlFile CALLED = SqlFile.named("health/gpus-called");
  private static final SqlFile UNEXPECTED = SqlFile.named("health/unexpected-gpus");
  private static final SqlFile WITH_UUIDS = SqlFile.named("health/gpus");
  private static final SqlFile OF_NODES = SqlFile.named("health/gpus-of-nodes");
  private static final SqlFile WRITE = SqlFile.named("health/write-gpus");
  private static final SqlFile APPEND = SqlFile.named("health/append-gpu-changes");
  private static final SqlFile CONTRADICTIONS = SqlFile.named("health/gpu-contradictions");
  private static final SqlFile HISTORY = SqlFile.named("health/gpu-history");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresDeviceStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void enter() {
    int _ = jdbc.sql(ENTER.text()).query(Boolean.class).list().size();
  }

  @Override
  public List<Device> called(String uuidOrSerial) {
    return found(CALLED, "called", uuidOrSerial);
  }

  @Override
  public List<Device> withUuids(Collection<String> uuids) {
    return found(WITH_UUIDS, "uuids", uuids.toArray(String[]::new));
  }

  @Override
  public Set<String> unexpected(Collection<DeviceObservation> sightings) {
    RowBatch rows = new RowBatch();
    for (DeviceObservation seen : sightings) {
      rows.row()
          .set("uuid", seen.uuid())
          .set("serial", seen.serial())
          .set("node", seen.node().value().toString());
    }
    return transactions.forAllTenants(() ->
        new TreeSet<>(
            jdbc.sql(UNEXPECTED.text()).param("rows", rows.json()).query(String.class).list()));
  }

  @Override
  public List<Device> on(Collection<NodeId> nodes) {
    return found(OF_NODES, "nodes", nodes.stream().map(NodeId::value).toArray(UUID[]::new));
  }

  private List<Device> found(SqlFile query, String parameter, Object value) {
    return transactions.forAllTenants(() ->
        jdbc.sql(query.text()).param(parameter, value).query(PostgresDeviceStore::device).list());
  }

  @Override
  public void write(Collection<Device> devices, List<DeviceChange> changes) {
    RowBatch rows = new RowBatch();
    devices.forEach(device -> row(rows, device));
    RowBatch appended = new RowBatch();
    for (DeviceChange change : changes) {
      appended
          .row()
          .set("gpu", change.uuid())
          .set("at", change.at().toString())
          .set("kind", change.kind())
          .set("text", change.text());
    }
    int _ =
        transactions.forAllTenants(() ->
            jdbc.sql(WRITE.text()).param("rows", rows.json()).update()
                + jdbc.sql(APPEND.text()).param("rows", appended.json()).update());
  }

  private static void row(RowBatch rows, Device device) {
    rows.row()
        .set("uuid", device.uuid())
        .set("serial", device.serial())
        .set("cluster", device.cluster().value().toString())
        .set("node", device.node().value().toString())
        .set("node_name", device.nodeName())
        .set("source", device.source())
        .set("first_seen", device.firstSeen().toString())
        .set("last_seen", device.lastSeen().toString())
        .set("missing_since", Objects.toString(device.missingSince(), null));
  }

  @Override
  public List<DeviceChange> contradictions(Collection<String> uuids, Instant after) {
    return transactions.forAllTenants(() ->
        jdbc.sql(CONTRADICTIONS.text())
            .param("gpus", uuids.toArray(String[]::new))
            .param("after", after.atOffset(ZoneOffset.UTC))
            .query(PostgresDeviceStore::change)
            .list());
  }

  @Override
  public List<DeviceChange> history(String uuid, DeviceChange.@Nullable Cursor from, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(HISTORY.text())
            .param("gpu", uuid)
            .param("at", from == null ? OffsetDateTime.MAX : from.at().atOffset(ZoneOffset.UTC))
            .param("read", from == null ? 0 : from.read())
            .param("limit", limit)
            .query(PostgresDeviceStore::change)
            .list());
  }

  private static DeviceChange change(ResultSet row, int number) throws SQLException {
    UUID incident = Columns.uuidOrNull(row, "incident");
    return new DeviceChange(
        Columns.text(row, "gpu"),
        Columns.instant(row, "at"),
        Columns.value(row, "kind", DeviceChange.Kind.class),
        Columns.text(row, "text"),
        incident == null ? null : new IncidentId(incident));
  }

  private static Device device(ResultSet row, int number) throws SQLException {
    return DeviceBuilder.builder()
        .uuid(Columns.text(row, "uuid"))
        .serial(row.getString("serial"))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .node(new NodeId(Columns.uuid(row, "node")))
        .nodeName(Columns.text(row, "node_name"))
        .source(Columns.value(row, "source", DeviceSource.class))
        .firstSeen(Columns.instant(row, "first_seen"))
        .lastSeen(Columns.instant(row, "last_seen"))
        .missingSince(Columns.instantOrNull(row, "missing_since"))
        .build();
  }
}
