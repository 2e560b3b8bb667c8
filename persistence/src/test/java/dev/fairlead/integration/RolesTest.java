package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.LoopWork;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The role of connections, and the rows that row-level security hides from this role. */
class RolesTest {
  private static final String LIMITS =
      "SET statement_timeout = '30s'; SET transaction_timeout = '60s'; SET"
          + " idle_in_transaction_session_timeout = '30s'";

  /** A server whose databases were never migrated, so it has no roles. */
  private static EmbeddedDatabase fresh;

  @BeforeAll
  static void start() {
    fresh = EmbeddedDatabase.start();
  }

  @AfterAll
  static void stop() {
    fresh.close();
  }

  private static void onFresh(String statement) {
    Databases.run(fresh.url(), fresh.user(), fresh.password(), statement);
  }

  @Test
  void aStartUnderARoleThatBypassesRowSecurityIsRefused() {
    // Fails without RoleCheck: the login of the embedded server is a superuser.
    String url = Embedded.migratedDatabase();

    assertThatThrownBy(() -> start(url, "postgres", LIMITS))
        .rootCause()
        .hasMessageContaining("postgres, bypasses row-level security");
  }

  @Test
  void aStartWithoutTimeLimitsIsRefused() {
    String url = Embedded.migratedDatabase();

    assertThatThrownBy(() -> start(url, "postgres", "SET ROLE fairlead_app"))
        .rootCause()
        .hasMessageContaining("have no statement_timeout");
  }

  @Test
  void startUnderARoleThatSeesAllTenantsIsRejected() {
    // Fails when RoleCheck accepts any role that is subject to row-level security.
    String url = Embedded.migratedDatabase();

    assertThatThrownBy(() -> start(url, "postgres", "SET ROLE fairlead_loops; " + LIMITS))
        .rootCause()
        .hasMessageContainingAll("fairlead_loops", "all tenants");
  }

  /** Fails when only migrations check the roles, so that the log misses some of them. */
  @Test
  void loginWithoutTheRightToCreateRolesIsReportedBeforeTheFirstMigration() {
    onFresh("CREATE ROLE weak LOGIN PASSWORD 'weak'");
    onFresh("CREATE DATABASE own OWNER weak");

    assertThatThrownBy(() -> PostgresInstallation.on(fresh.url("own"), "weak", "weak"))
        .rootCause()
        .hasMessageContaining("no roles fairlead_app", "login weak");
  }

  /** Fails when the database of another owner is refused by the first statement of many. */
  @Test
  void loginWithoutTheRightToCreateTablesIsReportedBeforeTheFirstMigration() {
    onFresh("CREATE ROLE guest LOGIN PASSWORD 'guest' CREATEROLE");
    onFresh("CREATE DATABASE foreign_one");

    assertThatThrownBy(() -> PostgresInstallation.on(fresh.url("foreign_one"), "guest", "guest"))
        .rootCause()
        .hasMessageContainingAll("guest ", "database foreign_one");
  }

  @Test
  void databaseOwnerWithoutSuperuserCanInstall() {
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
  void tenantTransactionSeesNothingOfOthers() {
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
  void accessToAllTenantsEndsWithItsTransaction() {
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

  /**
   * Fails when a transaction takes a second connection, of either pool: each pool has one, and both
   * are taken. Fails also when a request that acts for all tenants uses a connection of loops.
   */
  @Test
  void transactionStaysOnItsConnection() throws Exception {
    try (PostgresInstallation own =
            PostgresInstallation.on(
                Embedded.url(),
                Embedded.server().user(),
                Embedded.server().password(),
                "--spring.datasource.hikari.maximum-pool-size=1",
                "--fairlead.database.loop-connections=1");
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      Transactions transactions = own.bean(Transactions.class);
      TenantId tenant = TestWorld.in(own).tenant().id();
      CyclicBarrier bothTaken = new CyclicBarrier(2);
      CyclicBarrier bothDone = new CyclicBarrier(2);
      Future<Set<Integer>> loops =
          other.submit(() ->
              LoopTransactions.inLoop(() ->
                  transactions.forAllTenants(() -> sessions(own, tenant, bothTaken, bothDone))));
      Set<Integer> requests =
          transactions.forAllTenants(() -> sessions(own, tenant, bothTaken, bothDone));

      assertThat(requests).hasSize(1).doesNotContainAnyElementsOf(loops.get());
      assertThat(loops.get()).hasSize(1);
    }
  }

  /** Of the open transaction and of its participants. */
  private static Set<Integer> sessions(
      PostgresInstallation own, TenantId tenant, CyclicBarrier taken, CyclicBarrier done) {
    Transactions transactions = own.bean(Transactions.class);
    Set<Integer> sessions = new TreeSet<>(Set.of(session(own)));
    await(taken);
    own.tenants().projects(tenant);
    sessions.add(transactions.forAllTenants(() -> session(own)));
    sessions.add(transactions.readForAllTenants(() -> session(own)));
    sessions.add(transactions.read(() -> session(own)));
    sessions.add(transactions.call(() -> session(own)));
    await(done);
    return sessions;
  }

  private static int session(PostgresInstallation own) {
    return own.bean(JdbcClient.class).sql("SELECT pg_backend_pid()").query(Integer.class).single();
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  /** Fails when work for all tenants changes the role of a connection of requests. */
  @Test
  void workForAllTenantsRunsUnderTheRoleOfItsConnections() {
    List<String> prepared = Collections.synchronizedList(new ArrayList<>());
    try (PostgresInstallation own =
        PostgresInstallation.altered(
            Embedded.url(),
            Embedded.server().user(),
            Embedded.server().password(),
            statement -> {
              prepared.add(statement);
              return statement;
            })) {
      Transactions transactions = own.bean(Transactions.class);
      HeldLease lease =
          own.leases().create(TestWorld.in(own).uniqueName("roles"), "a").orElseThrow();
      prepared.clear();

      LoopWork.run(() -> {
        assertThat(transactions.forAllTenants(() -> role(own))).isEqualTo("fairlead_loops");
        assertThat(transactions.readForAllTenants(() -> role(own))).isEqualTo("fairlead_loops");
        assertThat(transactions.callFenced(lease, () -> role(own))).isEqualTo("fairlead_loops");
      });

      assertThat(prepared).hasSizeGreaterThan(3).noneMatch(each -> each.contains("set_config"));
    }
  }

  /** Fails when a command plans each of its statements at each call, or when a read keeps plans. */
  @Test
  void commandsCachePlansAndReadsDoNot() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld mine = TestWorld.in(stores);
    Transactions transactions = stores.bean(Transactions.class);
    Supplier<String> plans =
        () -> {
          stores.tenants().projects(mine.tenant().id());
          return setting(stores, "plan_cache_mode");
        };

    assertThat(transactions.call(plans)).isEqualTo("auto");
    assertThat(transactions.read(plans)).isEqualTo("force_custom_plan");
  }

  /**
   * Fails when a loop's work for one tenant can read other tenants, or reuses plans prepared under
   * its role.
   */
  @Test
  void workOfALoopForOneTenantRunsUnderTheRoleOfATenant() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld mine = TestWorld.in(stores);
    Job foreign = TestWorld.in(stores).submit(Specs.job("foreign"));
    Transactions transactions = stores.bean(Transactions.class);

    LoopWork.run(() -> {
      for (int i = 0; i < 20; i++) {
        transactions.run(() -> {
          assertThat(role(stores)).isEqualTo("fairlead_app");
          assertThat(setting(stores, "plan_cache_mode")).isEqualTo("force_custom_plan");
          stores.tenants().projects(mine.tenant().id());
          assertThat(stores.jobs().lock(List.of(foreign.id()))).isEmpty();
        });
        assertThat(transactions.read(() -> role(stores))).isEqualTo("fairlead_app");
        assertThat(transactions.forAllTenants(() -> role(stores))).isEqualTo("fairlead_loops");
        assertThat(transactions.forAllTenants(() -> setting(stores, "plan_cache_mode")))
            .isEqualTo("auto");
      }
      assertThatThrownBy(() ->
              transactions.call(() -> stores.jdbc().sql("SELECT 1 FROM job").query().listOfRows()))
          .rootCause()
          .hasMessageContaining("no tenant is stated");
    });
  }

  @Test
  void auditLogIsAppendOnly() {
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
