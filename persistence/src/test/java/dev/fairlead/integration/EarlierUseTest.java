package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

  /** Fails when an upgrade loses a sum or a dimension, or sums all days again. */
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
    connection.destroy();
  }
}
