package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.TenantId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rows that reports of a tenant and sums of days read from a ledger in which others have many. */
class UseReportPlansTest {
  private static final long HOUR = 3_600_000;
  private static final long HOURS = 500;
  private static final long TENANTS = 20;
  private static final UUID TENANT = new UUID(0, 1);

  /** No reserved GPU is shared. The tenant has one service among many other uses. */
  private static final String FACTS =
      """
      INSERT INTO use_fact (kind, period, start_ms, amount, tenant, model, detail)
      SELECT 'RESERVED', 'HOUR', h * 3600000, 1, ('00000000-0000-0000-0000-' || lpad(t::text, 12, '0'))::uuid, 'H100', 'FREE'
      FROM generate_series(0, %1$d - 1) h, generate_series(2, %2$d) t
      UNION ALL
      SELECT 'FLEET', 'HOUR', h * 3600000, 1, NULL, 'H100', t::text
      FROM generate_series(0, %1$d - 1) h, generate_series(1, 5) t;
      INSERT INTO use_fact (kind, period, start_ms, amount, tenant, used_by, service)
      SELECT 'USE', 'HOUR', h * 3600000, 1, ('00000000-0000-0000-0000-' || lpad(t::text, 12, '0'))::uuid, u::text,
             CASE WHEN t = 1 AND u = 1 THEN 'chat' WHEN u = 2 THEN 'other' END
      FROM generate_series(0, %1$d - 1) h, generate_series(1, %2$d) t, generate_series(1, 5) u
      """
          .formatted(HOURS, TENANTS);

  private static PostgresInstallation stores;

  @BeforeAll
  static void open() throws SQLException {
    String url = Embedded.migratedDatabase();
    String user = Embedded.server().user();
    String password = Embedded.server().password();
    stores = PostgresInstallation.on(url, user, password);
    try (Connection connection = DriverManager.getConnection(url, user, password);
        Statement statement = connection.createStatement()) {
      statement.execute(FACTS);
      statement.execute("ANALYZE use_fact");
    }
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  private static List<UseSum> report(UseKind kind, Set<UseDimension> by, String... services) {
    UseQuery all =
        UseQuery.of(kind, new TenantId(TENANT), UseTimes.spans(List.of(0L), HOURS * HOUR), by);
    List<UseSum> rows = new ArrayList<>();
    stores
        .bean(UseLedger.class)
        .report(
            services.length == 0 ? all : all.only(UseDimension.SERVICE, List.of(services)),
            rows::add);
    return rows;
  }

  private static long number(String query) {
    return stores.jdbc().sql(query).query(Long.class).single();
  }

  /** Fails when the hours of other tenants are read to find the first or the last shared hour. */
  @Test
  void reservedGpusOfOtherTenantsAreNotRead() {
    String fetched =
        "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'use_fact'";
    long read =
        stores
            .transactions()
            .inTenant(
                new TenantId(TENANT),
                () -> {
                  long before = number(fetched);
                  assertThat(report(UseKind.RESERVED, UseKind.RESERVED.dimensions())).isEmpty();
                  return number(fetched) - before;
                });
    assertThat(read).isZero();
  }

  /** Fails when the use of a service is searched for in all use of its tenant. */
  @Test
  void useOfServiceIsFoundByItsIndex() {
    String scans =
        "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'use_fact_of_service'";
    long before = number(scans);
    List<UseSum> rows =
        stores
            .transactions()
            .inTenant(
                new TenantId(TENANT),
                () -> {
                  List<UseSum> read = report(UseKind.USE, EnumSet.of(UseDimension.SERVICE), "chat");
                  assertThat(
                          stores
                              .jdbc()
                              .sql("SELECT pg_stat_force_next_flush()")
                              .query()
                              .listOfRows())
                      .hasSize(1);
                  return read;
                });
    assertThat(rows).extracting(UseSum::amount).containsExactly(HOURS);
    assertThat(number(scans)).isGreaterThan(before);
  }

  /** Fails when the periods are a text, which is parsed for each fact. */
  @Test
  void periodsAreParsedOnce() {
    List<String> types =
        stores
            .transactions()
            .inTenant(
                new TenantId(TENANT),
                () -> {
                  for (int each = 0; each < 8; each++) {
                    assertThat(report(UseKind.USE, EnumSet.noneOf(UseDimension.class))).hasSize(1);
                  }
                  return stores
                      .jdbc()
                      .sql(
                          "SELECT parameter_types::text FROM pg_prepared_statements WHERE statement LIKE '%width_bucket%'")
                      .query(String.class)
                      .list();
                });
    assertThat(types).isNotEmpty().allMatch(each -> each.contains("bigint[]"));
  }

  /** Fails when the rows are compared by dimensions that the report does not have. */
  @Test
  void onlyDimensionsOfTheReportAreSorted() {
    String statement =
        SqlFile.named("usage/report")
            .text()
            .replaceAll("(?<!:):(byMODEL|timeFirst)\\b", "true")
            .replaceAll("(?<!:):(by[A-Z]+|shared|days|labelled)\\b", "false")
            .replaceAll("(?<!:):(from|to|step|values|limit)\\b", "3600000")
            .replaceAll("(?<!:):(kinds|begins)\\b", "'{}'")
            .replaceAll("(?<!:):(tenant|other|of[A-Z]+|label[123])\\b", "NULL");
    assertThat(stores.jdbc().sql("EXPLAIN (COSTS OFF)\n" + statement).query(String.class).list())
        .filteredOn(line -> line.contains("Sort Key"))
        .first()
        .asString()
        .contains("model")
        .doesNotContain("name", "tenant", "label1");
  }

  /** Fails when the sum of a day reads the index of hours of all days, as PostgreSQL 17 does. */
  @Test
  void hoursOfADayAreFoundByTheirKind() {
    assertThat(
            stores
                .jdbc()
                .sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("usage/write-day").text())
                .param("day", 24 * HOUR)
                .param("kinds", "[{\"kind\": \"USE\", \"dimensions\": [\"TENANT\"]}]")
                .query(String.class)
                .list())
        .anyMatch(line -> line.contains("Index Cond: ((kind = k.kind) AND (period"));
  }
}
