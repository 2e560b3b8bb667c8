package dev.fairlead.integration;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads every table in the catalogue of a database as one tenant and as another. Each table gets a
 * row in which every id is that of the first tenant, so that a table needs no separate test data
 * for the check.
 */
final class TenantTables implements AutoCloseable {
  private static final String OWNER = "01900000-0000-7000-8000-00000000aaaa";
  private static final String STRANGER = "01900000-0000-7000-8000-00000000bbbb";

  /** Rows of the platform and of the fleet, which belong to no tenant. */
  private static final Set<String> OF_NO_TENANT =
      Set.of(
          "audit_head",
          "audit_link",
          "change_floor",
          "change_note",
          "advance_reservation_node",
          "announced_notice",
          "campaign",
          "campaign_node",
          "cluster",
          "cluster_removed",
          "domain_quarantine",
          "event_floor",
          "fence",
          "flyway_schema_history",
          "front_job",
          "front_namespace",
          "gpu_change",
          "gpu_device",
          "gpu_interval",
          "gpu_sample",
          "gpu_slot",
          "hang",
          "health_event",
          "health_rule",
          "idle_cost_policy",
          "health_test_run",
          "held_fleet_event",
          "incident",
          "installation",
          "lease",
          "node",
          "node_retired",
          "pool_supply",
          "quarantine",
          "repair",
          "repair_task",
          "repairer",
          "licence_hold",
          "service_gate",
          "service_key_version",
          "supply_request",
          "usage_day_summed",
          "usage_watermark");

  private static final String TABLES =
      """
      SELECT relname FROM pg_class
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
      ORDER BY relname
      """;

  private static final String CHECKS =
      """
      SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
      WHERE contype = 'c' AND conparentid = 0 AND coninhcount = 0 AND connamespace = 'public'::regnamespace
      """;

  /** One row of a table, with a value of each column's type. */
  private static final String INSERT =
      """
      SELECT format('INSERT INTO %%I (%%s) OVERRIDING SYSTEM VALUE VALUES (%%s)', c.relname,
        string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
        string_agg(CASE
          WHEN a.atttypid = 'uuid'::regtype THEN quote_literal('%s')
          WHEN a.atttypid = 'timestamptz'::regtype THEN 'now()'
          WHEN a.atttypid = 'date'::regtype THEN 'current_date'
          WHEN a.atttypid = 'boolean'::regtype THEN 'false'
          WHEN a.atttypid = 'jsonb'::regtype THEN quote_literal('{}')
          WHEN a.atttypid IN ('uuid[]'::regtype, 'integer[]'::regtype, 'text[]'::regtype) THEN quote_literal('{}')
          WHEN a.atttypid = 'text'::regtype THEN quote_literal('x')
          ELSE quote_literal('1') END, ', ' ORDER BY a.attnum))
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.oid = '%s'::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      GROUP BY c.relname
      """;

  private final Connection connection;

  private TenantTables(Connection connection) {
    this.connection = connection;
  }

  /**
   * A database with its tables, opened as superuser and without the constraints against such rows.
   */
  static TenantTables of(String url) throws SQLException {
    TenantTables tenantTables =
        new TenantTables(
            DriverManager.getConnection(
                url, Embedded.server().user(), Embedded.server().password()));
    tenantTables.run("SET session_replication_role = replica");
    for (String drop : tenantTables.texts(CHECKS)) {
      tenantTables.run(drop);
    }
    for (String table : tenantTables.isolated()) {
      tenantTables.run("DELETE FROM " + table);
      tenantTables.run(tenantTables.texts(INSERT.formatted(OWNER, table)).getFirst());
    }
    return tenantTables;
  }

  void run(String statement) throws SQLException {
    try (Statement jdbc = connection.createStatement()) {
      jdbc.execute(statement);
    }
  }

  /** Number of rows that a statement of a role changes. The change is rolled back. */
  int changed(String role, String statement) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement jdbc = connection.createStatement()) {
      run("SET LOCAL ROLE " + role);
      return jdbc.executeUpdate(statement);
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  /** All tables except those without a tenant. */
  List<String> isolated() throws SQLException {
    return texts(TABLES).stream().filter(table -> !OF_NO_TENANT.contains(table)).toList();
  }

  /** The violations, as {@code table: violation}; in order. */
  List<String> unprotected() throws SQLException {
    List<String> holes = new ArrayList<>();
    for (String table : isolated()) {
      check(holes, table, "its own tenant does not see it", "1", OWNER);
      check(holes, table, "another tenant sees it", "0", STRANGER);
      check(holes, table, "seen without a tenant", "refused", "no tenant is stated");
    }
    return holes;
  }

  private void check(List<String> holes, String table, String hole, String expected, String stated)
      throws SQLException {
    if (!seen(table, stated).equals(expected)) {
      holes.add(table + ": " + hole);
    }
  }

  /** Rights of the role of a tenant's connections to change these tables. */
  List<String> writable(String... tables) throws SQLException {
    return rights(tables).stream().filter(right -> !right.endsWith(" SELECT")).toList();
  }

  /** Rights of the role of a tenant's connections, as {@code table RIGHT}. */
  List<String> rights(String... tables) throws SQLException {
    return rightsOf("fairlead_app", tables);
  }

  /** Rights of a role, as {@code table RIGHT}. */
  List<String> rightsOf(String role, String... tables) throws SQLException {
    return texts(
        """
        SELECT table_name || ' ' || privilege_type FROM information_schema.role_table_grants
        WHERE grantee = '%s' AND table_name IN ('%s')
        """
            .formatted(role, String.join("', '", tables)));
  }

  /** Columns of a table that the role of a tenant's connections may read. */
  List<String> readable(String table) throws SQLException {
    return texts(
        """
        SELECT column_name FROM information_schema.column_privileges
        WHERE grantee = 'fairlead_app' AND privilege_type = 'SELECT' AND table_name = '%s'
        ORDER BY column_name
        """
            .formatted(table));
  }

  /** Rights of a role, and of how many tables it has each. */
  SortedMap<String, Integer> grants(String role) throws SQLException {
    SortedMap<String, Integer> grants = new TreeMap<>();
    String query =
        "SELECT privilege_type FROM information_schema.role_table_grants WHERE grantee = '%s'";
    texts(query.formatted(role)).forEach(right -> grants.merge(right, 1, Integer::sum));
    return grants;
  }

  /** Roles of Fairlead that row-level security binds, and that can do nothing to the server. */
  List<String> boundRoles() throws SQLException {
    return texts(
        """
        SELECT rolname FROM pg_roles
        WHERE rolname LIKE 'fairlead!_%' ESCAPE '!'
          AND NOT (rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication)
        ORDER BY rolname
        """);
  }

  /** Number of rows visible to the role of a tenant's connection, or the refusal. */
  private String seen(String table, String stated) throws SQLException {
    connection.setAutoCommit(false);
    try {
      run("SET LOCAL ROLE fairlead_app");
      run("SET LOCAL fairlead.tenant = '" + stated + "'");
      return texts("SELECT count(*) FROM " + table).getFirst();
    } catch (SQLException refused) {
      return "22P02".equals(refused.getSQLState()) ? "refused" : refused.getMessage();
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private List<String> texts(String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement jdbc = connection.createStatement();
        ResultSet rows = jdbc.executeQuery(query)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
    }
    return texts;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
