package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lookup of a few events among all others. */
class BlockedCleanupLookupTest {
  private static PostgresInstallation stores;

  @BeforeAll
  static void manyEvents() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
    sql(
        """
        INSERT INTO event (incarnation, type, subject_kind, subject, version, actor, tenant, data)
        SELECT 1, CASE WHEN n % 1000 = 0 THEN 'AttemptNotCleared' ELSE 'AttemptRetired' END, 'JOB', gen_random_uuid(), 1, 'x',
               gen_random_uuid(), jsonb_build_object('cluster', 'clu_' || n % 7)
        FROM generate_series(1, 20000) AS n
        """);
    sql("ANALYZE event");
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  private static void sql(String statement) {
    int _ = stores.jdbc().sql(statement).update();
  }

  /** Fails when a process that takes over a cluster reads all events of the installation. */
  @Test
  void takeoverReadsOnlyTheDelayedEvents() {
    List<String> plan =
        plan(
            stores
                .jdbc()
                .sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("event/not-cleared").text())
                .param("cluster", new UUID(0, 1))
                .param("text", "clu_1")
                .param("limit", 10));

    assertThat(plan)
        .anyMatch(line -> line.contains("Index Cond: (subject = "))
        .noneMatch(line -> line.contains("Seq Scan on event"));
  }

  /** Fails when a page sorts all events behind its position, or the newest is found by a sort. */
  @Test
  void readersOfAllEventsReadOnlyTheirPage() {
    for (String file : new String[] {"event-head", "event-oldest", "events-after"}) {
      JdbcClient.StatementSpec explained =
          stores.jdbc().sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("event/" + file).text());
      List<String> plan =
          plan(
              file.equals("events-after")
                  ? explained
                      .param("incarnation", 0)
                      .param("xid", "0")
                      .param("seq", 0L)
                      .param("limit", 10)
                  : explained);

      assertThat(plan)
          .as(file)
          .anyMatch(line -> line.contains("Merge Append"))
          .noneMatch(line -> line.contains("Sort Key") && line.contains("::text)::bigint"));
    }
  }

  private static List<String> plan(JdbcClient.StatementSpec explained) {
    return stores.transactions().forAllTenants(() -> explained.query(String.class).list());
  }
}
