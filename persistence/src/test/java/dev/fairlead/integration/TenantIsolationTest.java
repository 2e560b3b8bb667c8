package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Row-level security of every table, found in the catalogue. */
class TenantIsolationTest {
  private static TenantTables tenantTables;

  @BeforeAll
  static void open() throws SQLException {
    tenantTables = TenantTables.of(Embedded.migratedDatabase());
  }

  @AfterAll
  static void close() throws SQLException {
    tenantTables.close();
  }

  /** Fails when a table has no policy, or one that shows more or less than one tenant. */
  @Test
  void tenantSeesOnlyItsRowsOfEveryTable() throws SQLException {
    assertThat(tenantTables.isolated()).contains("allocation", "explanation", "job", "tenant");
    assertThat(tenantTables.unprotected()).isEmpty();
    System.out.printf(
        "security database: %d tables of tenants, each row seen by its own tenant alone%n",
        tenantTables.isolated().size());
  }

  /** Fails when a role can change append-only rows, or has rights that it does not need. */
  @Test
  void serviceRolesHaveNoOtherRights() throws SQLException {
    for (String role : List.of("fairlead_app", "fairlead_loops", "fairlead_sealer")) {
      assertThat(tenantTables.grants(role)).doesNotContainKeys("TRUNCATE", "REFERENCES", "TRIGGER");
      System.out.printf("security database role %-15s %s%n", role, tenantTables.grants(role));
    }
    assertThat(tenantTables.grants("fairlead_sealer"))
        .containsOnlyKeys("SELECT", "INSERT", "DELETE");
    assertThat(tenantTables.boundRoles())
        .contains("fairlead_app", "fairlead_loops", "fairlead_owner", "fairlead_sealer");
  }

  /** Fails when the search for gaps misses one. */
  @Test
  void tableWithoutItsPolicyIsDetected() throws SQLException {
    tenantTables.run("DROP POLICY one_tenant ON member");
    tenantTables.run("ALTER TABLE attempt DISABLE ROW LEVEL SECURITY");
    tenantTables.run("CREATE TABLE forgotten (tenant uuid)");
    tenantTables.run("GRANT SELECT ON forgotten TO fairlead_app");

    assertThat(tenantTables.unprotected())
        .contains(
            "member: its own tenant does not see it",
            "attempt: another tenant sees it",
            "forgotten: seen without a tenant");

    tenantTables.run("DROP TABLE forgotten");
    tenantTables.run("ALTER TABLE attempt ENABLE ROW LEVEL SECURITY");
    tenantTables.run(
        "CREATE POLICY one_tenant ON member TO fairlead_app"
            + " USING (tenant = current_setting('fairlead.tenant')::uuid)");
    assertThat(tenantTables.unprotected()).isEmpty();
  }

  /** Fails when the role of a tenant's connections may change the fleet. */
  @Test
  void tenantRoleCannotWriteTheFleet() throws SQLException {
    assertThat(
            tenantTables.writable(
                "cluster", "cluster_removed", "node", "node_retired", "gpu_slot", "pool"))
        .isEmpty();
    assertThat(tenantTables.writable("job")).isNotEmpty();
  }

  /** Fails when the role of a tenant's connections may read which machines are at fault. */
  @Test
  void tenantRoleCannotReadFaultsOfMachines() throws SQLException {
    assertThat(
            tenantTables.rights(
                "announced_notice",
                "campaign",
                "campaign_node",
                "domain_quarantine",
                "front_job",
                "front_namespace",
                "gpu_change",
                "gpu_device",
                "gpu_sample",
                "hang",
                "health_event",
                "health_rule",
                "health_test_run",
                "held_fleet_event",
                "incident",
                "quarantine",
                "repair",
                "repair_task",
                "repairer",
                "pool_supply",
                "service_gate",
                "service_key_version",
                "supply_request"))
        .isEmpty();
    assertThat(tenantTables.rights("node")).containsExactly("node SELECT");
    assertThat(tenantTables.readable("gpu_device")).containsExactly("serial", "uuid");
  }

  /** Fails when a role of the service can change or remove a price, and so the past. */
  @Test
  void noRoleCanChangeOrDeleteAPrice() throws SQLException {
    String update = "UPDATE config_document SET version = 2 WHERE kind = '%s'";
    String delete = "DELETE FROM config_document WHERE kind = '%s'";
    for (String kind : List.of("PRICE", "POOL")) {
      tenantTables.run(
          "INSERT INTO config_document (kind, name, version, body) VALUES ('%s', 'one', 1, '{}')"
              .formatted(kind));
      int changed = kind.equals("PRICE") ? 0 : 1;
      assertThat(tenantTables.changed("fairlead_loops", update.formatted(kind))).isEqualTo(changed);
      assertThat(tenantTables.changed("fairlead_loops", delete.formatted(kind))).isEqualTo(changed);
    }
  }

  /** Fails when a role of the service can change or delete signed statements. */
  @Test
  void noRoleCanChangeOrDeleteASignedStatement() throws SQLException {
    for (String role : List.of("fairlead_app", "fairlead_loops")) {
      assertThat(tenantTables.rightsOf(role, "statement"))
          .containsExactlyInAnyOrder("statement SELECT", "statement INSERT");
    }
  }
}
