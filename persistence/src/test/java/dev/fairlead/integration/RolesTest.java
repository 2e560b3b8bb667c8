package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.job.Job;
import dev.fairlead.job.Specs;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Which role connections run under, and what row-level security hides from it. */
class RolesTest {
  private static final String LIMITS =
      "SET statement_timeout = '30s'; SET transaction_timeout = '60s'; SET"
          + " idle_in_transaction_session_timeout = '30s'";

  @Test
  void aStartUnderARoleThatBypassesRowSecurityIsRefused() {
    // Fails without RoleCheck: the login of the embedded server is a superuser.
    String url = Embedded.newDatabase();

    assertThatThrownBy(() -> start(url, "postgres", LIMITS))
        .rootCause()
        .hasMessageContaining("postgres, bypasses row-level security");
  }

  @Test
  void aStartWithoutTimeLimitsIsRefused() {
    String url = Embedded.newDatabase();

    assertThatThrownBy(() -> start(url, "postgres", "SET ROLE fairlead_app"))
        .rootCause()
        .hasMessageContaining("have no statement_timeout");
  }

  @Test
  void aStartUnderARoleThatSeesAllTenantsIsRefused() {
    // Fails when RoleCheck takes any role that row-level security binds.
    String url = Embedded.newDatabase();

    assertThatThrownBy(() -> start(url, "postgres", "SET ROLE fairlead_loops; " + LIMITS))
        .rootCause()
        .hasMessageContaining("fairlead_loops, sees the rows of all tenants");
  }

  @Test
  void thePlainOwnerOfADatabaseMayInstall() {
    Embedded.run(Databases.PLAIN_OWNER);
    Embedded.run(
        "GRANT fairlead_owner, fairlead_app, fairlead_loops, fairlead_sealer TO plain WITH ADMIN"
            + " TRUE");
    String url = Embedded.newDatabase();
    Embedded.run("ALTER DATABASE " + url.substring(url.lastIndexOf('/') + 1) + " OWNER TO plain");

    try (PostgresInstallation installation = PostgresInstallation.on(url, "plain", "plain")) {
      assertThat(role(installation)).isEqualTo("fairlead_app");
      assertThat(installation.tenants().tenantNamed("default")).isPresent();
    }
  }

  @Test
  void connectionsRunUnderTheRoleOfATenantWithLimits() {
    PostgresInstallation installation = Embedded.installation();

    assertThat(role(installation)).isEqualTo("fairlead_app");
    assertThat(setting(installation, "statement_timeout")).isEqualTo("30s");
    assertThat(setting(installation, "transaction_timeout")).isEqualTo("1min");
    assertThat(setting(installation, "idle_in_transaction_session_timeout")).isEqualTo("30s");
  }

  @Test
  void aTransactionOfATenantSeesNothingOfOthers() {
    // Fails when a table's policy is missing, or when the transaction has the role of loops.
    PostgresInstallation stores = Embedded.installation();
    TestWorld mine = TestWorld.in(stores);
    Job foreign = TestWorld.in(stores).submit(Specs.job("foreign"));

    stores
        .bean(Transactions.class)
        .run(() -> {
          stores.tenants().projects(mine.tenant().id());
          assertThat(role(stores)).isEqualTo("fairlead_app");
          assertThat(stores.jobs().lock(List.of(foreign.id()))).isEmpty();
          assertThat(stores.jdbc().sql("UPDATE job SET priority = 1").update()).isZero();
          assertThat(stores.jdbc().sql("SELECT count(*) FROM event").query(Long.class).single())
              .isZero();
        });
  }

  @Test
  void theRoleEndsWithTheTransaction() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld mine = TestWorld.in(stores);

    for (int i = 0; i < 20; i++) {
      stores.bean(Transactions.class).run(() -> stores.tenants().projects(mine.tenant().id()));
      assertThat(role(stores)).isEqualTo("fairlead_app");
    }
  }

  @Test
  void workForAllTenantsEndsWithItself() {
    // Fails when a transaction keeps the role of loops, or another tenant, after such work.
    PostgresInstallation stores = Embedded.installation();
    Transactions transactions = stores.bean(Transactions.class);
    TestWorld mine = TestWorld.in(stores);
    TestWorld.in(stores).submit(Specs.job("foreign"));

    transactions.run(() -> {
      transactions.forAllTenants(() -> mine.stores().operations().running());
      assertThatThrownBy(() -> stores.jdbc().sql("SELECT 1 FROM job").query().listOfRows())
          .rootCause()
          .hasMessageContaining("no tenant is stated");
    });
    transactions.run(() -> {
      stores.tenants().projects(mine.tenant().id());
      transactions.forAllTenants(() -> mine.stores().operations().running());
      assertThat(stores.jdbc().sql("SELECT 1 FROM job").query().listOfRows()).isEmpty();
    });
  }

  @Test
  void theAuditLogIsOnlyAddedTo() {
    PostgresInstallation stores = Embedded.installation();

    assertThatThrownBy(() -> stores.jdbc().sql("DELETE FROM audit_record").update())
        .rootCause()
        .hasMessageContaining("permission denied");
    assertThatThrownBy(() -> stores.jdbc().sql("UPDATE audit_record SET allowed = true").update())
        .rootCause()
        .hasMessageContaining("permission denied");
  }

  private static PostgresInstallation start(String url, String user, String init) {
    return PostgresInstallation.on(
        url, user, "postgres", "--spring.datasource.hikari.connection-init-sql=" + init);
  }

  private static String role(PostgresInstallation installation) {
    return installation
        .bean(JdbcClient.class)
        .sql("SELECT current_user")
        .query(String.class)
        .single();
  }

  private static String setting(PostgresInstallation installation, String name) {
    return installation
        .bean(JdbcClient.class)
        .sql("SELECT current_setting(:name)")
        .param("name", name)
        .query(String.class)
        .single();
  }
}
