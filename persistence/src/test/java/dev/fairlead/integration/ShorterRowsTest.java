package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Rows that migrations change to write less for each job. */
class ShorterRowsTest {
  private static final UUID OPEN = new UUID(0, 1);
  private static final UUID ENDED = new UUID(0, 2);
  private static JdbcClient jdbc;

  @BeforeAll
  static void migrate() {
    String url = Embedded.newDatabase();
    Embedded.migrate(url, "3780");
    jdbc =
        JdbcClient.create(
            new DriverManagerDataSource(
                url, Embedded.server().user(), Embedded.server().password()));
    run(
        """
        INSERT INTO log_member (attempt, role, idx, incarnation, tenant, project, job, taken, sequence, bytes, stored, gaps, ended_at)
        VALUES ('%1$s', 'worker', 0, 0, '%1$s', '%1$s', '%1$s', 1, 2, 60, 40, 0, NULL),
               ('%2$s', 'worker', 0, 0, '%2$s', '%2$s', '%2$s', 1, 2, 60, 40, 0, now())
        """
            .formatted(OPEN, ENDED));
    run(
        """
        INSERT INTO log_chunk (attempt, role, idx, incarnation, sequence, nonce, tenant, from_at, to_at, lines, bytes, stored)
        SELECT m.attempt, 'worker', 0, 0, s, 10 + s, m.tenant, now(), now(), 1, 30, 20
        FROM log_member m, generate_series(1, 2) AS s
        """);
    run(
        """
        INSERT INTO event (incarnation, type, subject_kind, subject, version, actor, tenant, data, context)
        VALUES (1, 'JobSubmitted', 'JOB', '%1$s', 1, 'ana', '%1$s', '{}',
                '{"job": "train", "user": "ana", "nodes": ["n1"], "nodeCount": 1, "project": "p", "cluster": null}'),
               (1, 'BudgetThresholdReached', 'BUDGET', '%2$s', 1, 'ana', '%2$s', '{}', NULL)
        """
            .formatted(OPEN, ENDED));

    Embedded.migrate(url, "latest");
  }

  private static void run(String statement) {
    int _ = jdbc.sql(statement).update();
  }

  private static List<String> texts(String query) {
    return jdbc.sql(query).query(String.class).list();
  }

  /** Fails when the part of a log that is still written is lost, or an earlier part moves too. */
  @Test
  void theLastPartOfAnOpenLogMovesToItsRow() {
    assertThat(texts("SELECT part_nonce FROM log_member WHERE ended_at IS NULL"))
        .containsExactly("12");
    assertThat(texts("SELECT attempt FROM log_chunk ORDER BY attempt, sequence"))
        .containsExactly(OPEN.toString(), ENDED.toString(), ENDED.toString());
  }

  /** Fails when a stored event loses its context, or an event without one gets it. */
  @Test
  void theContextOfAStoredEventIsAnArray() {
    assertThat(texts("SELECT context FROM event WHERE context IS NOT NULL"))
        .containsExactly("[\"train\", \"ana\", [\"n1\"], 1, \"p\", null]");
  }

  /** Fails when an update of an amount or a state logs a document that did not change. */
  @Test
  void documentsFollowTheColumnsThatChangeTogether() {
    String between =
        """
        SELECT c.column_name FROM information_schema.columns c
        WHERE c.table_name = '%1$s' AND c.column_name IN ('labels', 'taints', 'topology', 'gpus', 'extended')
          AND c.ordinal_position > (SELECT min(f.ordinal_position) FROM information_schema.columns f
                                    WHERE f.table_name = '%1$s' AND f.column_name IN (%2$s))
          AND c.ordinal_position < (SELECT max(f.ordinal_position) FROM information_schema.columns f
                                    WHERE f.table_name = '%1$s' AND f.column_name IN (%2$s))
        """;
    assertThat(texts(between.formatted("node", "'allocated_cpu', 'version'"))).isEmpty();
    assertThat(texts(between.formatted("member", "'state', 'started_at', 'evidence'"))).isEmpty();
  }
}
