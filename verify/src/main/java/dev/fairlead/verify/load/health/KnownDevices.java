package dev.fairlead.verify.load.health;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Devices, their changes, events and past incidents, stored by a few statements that bypass the
 * API. The devices fill the nodes of the cluster first. The others were in removed nodes. One in a
 * hundred has all the incidents: one for each thousand events.
 */
final class KnownDevices {
  private static final String CHANGES =
      """
      INSERT INTO gpu_change (gpu, at, kind, text)
      SELECT uuid, now() - i * interval '20 days', CASE WHEN i = 4 THEN 'FOUND' ELSE 'MOVED' END, 'node ' || node_name
      FROM gpu_device CROSS JOIN generate_series(1, 4) i
      """;

  private static final String QUARANTINES =
      """
      INSERT INTO quarantine (id, cluster, node, incident, cause, since, until, released_at, released)
      SELECT id, cluster, node, id, cause, opened_at, opened_at + interval '1 day', ended_at, 'exchanged' FROM incident
      WHERE ended_at < now() - interval '12 hours'
      """;

  private final EmbeddedDatabase database;

  KnownDevices(EmbeddedDatabase database) {
    this.database = database;
  }

  /** A stored device. */
  record Known(String uuid, String serial, String node) {}

  void store(String cluster, Size size) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      statement.execute(devices(cluster, size.gpus()));
      statement.execute(CHANGES);
      statement.execute(events(size));
      statement.execute(incidents(size));
      statement.execute(QUARANTINES);
      statement.execute(
          "VACUUM (ANALYZE) gpu_device, gpu_change, health_event, incident, quarantine");
      statement.execute("CHECKPOINT"); // pending writes of the load are not part of the figures
    }
  }

  /** Devices in current nodes of the cluster, by node. */
  List<Known> inService() throws SQLException {
    return select(
        "JOIN node n ON n.id = d.node WHERE d.serial IS NOT NULL ORDER BY d.node, d.uuid");
  }

  /** A sample in which every second device has incidents. */
  List<Known> sample(int most) throws SQLException {
    List<Known> sick =
        select(
            "WHERE d.serial IS NOT NULL AND d.uuid IN (SELECT gpu FROM incident) ORDER BY d.uuid"
                + " LIMIT "
                + (most + 1) / 2);
    List<Known> others = select("WHERE d.serial IS NOT NULL ORDER BY d.uuid LIMIT " + sick.size());
    List<Known> sample = new ArrayList<>();
    for (int i = 0; i < others.size(); i++) {
      sample.add(sick.get(i));
      sample.add(others.get(i));
    }
    return sample;
  }

  private static String devices(String cluster, int gpus) {
    return """
    INSERT INTO gpu_device (uuid, serial, cluster, node, node_name, source, first_seen, last_seen)
    SELECT 'GPU-' || md5('gpu ' || n)::uuid, (1650000000000 + n)::text, c.id,
           coalesce(m.id, md5('node ' || n / 8)::uuid), coalesce(m.name, 'retired-' || n / 8), 'INVENTORY',
           now() - interval '90 days', now() - interval '1 minute'
    FROM cluster c CROSS JOIN generate_series(0, %2$d - 1) n
    LEFT JOIN (SELECT id, name, row_number() OVER (ORDER BY name) - 1 AS i
               FROM node WHERE cluster = (SELECT id FROM cluster WHERE name = '%1$s')) m ON m.i = n / 8
    WHERE c.name = '%1$s'
    """
        .formatted(cluster, gpus);
  }

  private static String events(Size size) {
    return """
    INSERT INTO health_event (cluster, id, at, received_at, node_name, node, gpu, serial, xid, message, verdict)
    SELECT d.cluster, 'stored-' || n, e.at, e.at, d.node_name, d.node, d.uuid, d.serial,
           (ARRAY[13, 31, 43, 45, 63, 92, 94, 109])[1 + n / 7 %% 8], 'NVRM: Xid (PCI:0000:3b:00), pid=4711, name=python',
           'HARMLESS'
    FROM (SELECT row_number() OVER () - 1 AS i, * FROM gpu_device WHERE serial IS NOT NULL) d
    JOIN generate_series(0, %2$d - 1) n ON n %% %1$d = d.i,
         LATERAL (SELECT now() - interval '1 minute' - n * (interval '6 days' / %2$d) AS at) e
    """
        .formatted(size.gpus(), size.events());
  }

  private static String incidents(Size size) {
    return """
    INSERT INTO incident (id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at,
                          events, isolation, ended_at)
    SELECT uuidv7(n * interval '-1 minute'), d.cluster, d.node, d.node_name, d.uuid, d.serial, 79,
           'XID 79 (GPU has fallen off the bus)', 'NODE', 'POWER_CYCLE', e.at, e.at, 1, 'node takes nothing new', e.at
    FROM (SELECT row_number() OVER () - 1 AS i, * FROM gpu_device WHERE serial IS NOT NULL) d
    JOIN generate_series(0, %2$d - 1) n ON n %% (%1$d / 100) * 100 = d.i,
         LATERAL (SELECT now() - interval '1 day' - n * interval '1 minute' AS at) e
    """
        .formatted(size.gpus(), size.events() / 1_000);
  }

  private List<Known> select(String which) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT d.uuid, d.serial, d.node_name FROM gpu_device d " + which)) {
      List<Known> found = new ArrayList<>();
      while (rows.next()) {
        found.add(new Known(rows.getString(1), rows.getString(2), rows.getString(3)));
      }
      return found;
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(database.url(), database.user(), database.password());
  }
}
