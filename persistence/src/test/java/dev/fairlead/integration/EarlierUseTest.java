package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Sums of use that an earlier version stored in a table for each kind and period. */
class EarlierUseTest {
  private static final List<String> ROWS =
      List.of(
          "INSERT INTO usage_hour VALUES (3600000, #id, #id, #id, 'ada', 'p', 'H100', 'SPOT', 11, #id, 's')",
          "INSERT INTO usage_day VALUES (0, #id, #id, #id, 'ada', 'p', 'H100', 'SPOT', 12)",
          "INSERT INTO usage_label_hour VALUES (3600000, #id, #id, #id, 'ada', 'p', 'H100', 'SPOT', '{\"a\": \"b\"}', 13)",
          "INSERT INTO usage_label_day VALUES (0, #id, #id, #id, 'ada', 'p', 'H100', 'SPOT', '{\"a\": \"b\"}', 14)",
          "INSERT INTO spill_hour VALUES (3600000, #id, 'H100', 'SPOT', 'FULL', 15)",
          "INSERT INTO spill_day VALUES (0, #id, 'H100', 'SPOT', 'FULL', 16)",
          "INSERT INTO reserved_hour VALUES (3600000, NULL, 'H100', 'FREE', 17)",
          "INSERT INTO fleet_hour VALUES (3600000, #id, 'p', 'H100', 'FREE', 18, 'SPOT', #id)",
          "INSERT INTO wait_hour VALUES (3600000, #id, #id, #id, 'QUOTA', 19)",
          "INSERT INTO usage_day_summed VALUES (0)");

  private static final String FACTS =
      """
      SELECT concat_ws(' ', kind, period, start_ms, amount, used_by, pool, model, capacity, service, detail, labels) || ' '
        || num_nonnulls(tenant, project, queue, cluster, owner)
      FROM use_fact ORDER BY amount
      """;

  private static final String ANALYZED =
      "SELECT count(*) FROM pg_statistic WHERE starelid = 'use_fact'::regclass";

  private static final String WAITING =
      "SELECT count(*) FROM pg_locks JOIN pg_stat_activity a USING (pid)"
          + " WHERE NOT granted AND a.datname = current_database()";

  /**
   * Fails when an upgrade loses a sum or a dimension, or sums all days again, or the planner has no
   * statistics of the copied rows.
   */
  @Test
  void earlierSumsAreFactsAfterTheUpgrade() {
    String url = Embedded.newDatabase();
    Embedded.migrate(url, "4025");
    SingleConnectionDataSource connection =
        new SingleConnectionDataSource(
            url, Embedded.server().user(), Embedded.server().password(), true);
    JdbcClient jdbc = JdbcClient.create(connection);
    int _ = jdbc.sql("SET session_replication_role = replica").update();
    for (String row : ROWS) {
      int _ = jdbc.sql(row.replace("#id", "gen_random_uuid()")).update();
    }

    Embedded.migrate(url, "latest");

    assertThat(jdbc.sql(FACTS).query(String.class).list())
        .containsExactly(
            "USE HOUR 3600000 11 ada p H100 SPOT s 4",
            "USE DAY 0 12 ada p H100 SPOT 3",
            "LABELLED HOUR 3600000 13 ada p H100 SPOT {\"a\": \"b\"} 3",
            "LABELLED DAY 0 14 ada p H100 SPOT {\"a\": \"b\"} 3",
            "SPILL HOUR 3600000 15 H100 SPOT FULL 1",
            "SPILL DAY 0 16 H100 SPOT FULL 1",
            "RESERVED HOUR 3600000 17 H100 FREE 0",
            "FLEET HOUR 3600000 18 p H100 SPOT FREE 2",
            "WAIT HOUR 3600000 19 QUOTA 3");
    assertThat(jdbc.sql("SELECT day_ms FROM usage_day_summed").query(Long.class).list())
        .containsExactly(0L);
    assertThat(jdbc.sql(ANALYZED).query(Long.class).single()).isPositive();
    connection.destroy();
  }

  /**
   * Fails when the upgrade copies some tables before, and some after, a transaction of the loop of
   * an earlier version: the day would be summed, but without its use.
   */
  @Test
  void upgradeWaitsForAnEarlierLoop() throws SQLException {
    String url = Embedded.newDatabase();
    Embedded.migrate(url, "4025");
    try (Connection loop = connection(url);
        Connection other = connection(url);
        Statement step = loop.createStatement()) {
      JdbcClient jdbc = JdbcClient.create(new SingleConnectionDataSource(other, true));
      loop.setAutoCommit(false);
      step.execute("UPDATE usage_watermark SET open_ms = open_ms");
      CompletableFuture<Void> upgrade =
          CompletableFuture.runAsync(() -> Embedded.migrate(url, "latest"));
      while (!upgrade.isDone() && jdbc.sql(WAITING).query(Long.class).single() == 0) {
        Thread.onSpinWait();
      }
      for (String row : List.of(ROWS.get(1), ROWS.get(5), ROWS.getLast())) {
        step.execute(row.replace("#id", "gen_random_uuid()"));
      }
      loop.commit();
      upgrade.join();
      assertThat(jdbc.sql("SELECT kind FROM use_fact ORDER BY kind").query(String.class).list())
          .containsExactly("SPILL", "USE");
    }
  }

  private static Connection connection(String url) throws SQLException {
    return DriverManager.getConnection(url, Embedded.server().user(), Embedded.server().password());
  }
}
