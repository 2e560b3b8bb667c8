package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Lookup of the last run of each node among all runs of a test. */
class LastHealthTestsTest {
  private static final Pattern READ =
      Pattern.compile("actual rows=(\\d+)(?:\\.\\d+)? loops=(\\d+)");
  private static PostgresInstallation stores;

  @BeforeAll
  static void manyRunsOfFewNodes() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
    sql(
        """
        INSERT INTO health_test_run (id, test, node, ended_at, content)
        SELECT gen_random_uuid(), 'dcgm', CAST(lpad((n % 5)::text, 32, '0') AS uuid), now(), '{}'
        FROM generate_series(1, 20000) AS n
        """);
    sql("ANALYZE health_test_run");
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  private static void sql(String statement) {
    int _ = stores.jdbc().sql(statement).update();
  }

  /** Fails when each check reads the runs of a year. */
  @Test
  void passReadsOnlyTheLastRuns() {
    List<String> plan =
        stores
            .jdbc()
            .sql(
                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)\n"
                    + SqlFile.named("healthtest/last").text())
            .param("test", "dcgm")
            .query(String.class)
            .list();

    assertThat(plan.getFirst()).contains("actual rows=5");
    assertThat(plan.stream().mapToLong(LastHealthTestsTest::rows).sum()).isLessThan(100);
  }

  private static long rows(String line) {
    Matcher read = READ.matcher(line);
    return read.find() ? Long.parseLong(read.group(1)) * Long.parseLong(read.group(2)) : 0;
  }
}
