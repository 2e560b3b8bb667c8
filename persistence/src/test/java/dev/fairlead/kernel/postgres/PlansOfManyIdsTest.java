package dev.fairlead.kernel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.integration.Embedded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Statements that read tens of thousands of rows by name. While the statistics report almost no
 * matching rows, as after a night in which every job ended, the planner may scan the whole list of
 * names for each row: four minutes instead of 40 ms for 20,000 jobs.
 */
class PlansOfManyIdsTest {
  private static final int JOBS = 4_000;

  private final String url = Embedded.migratedDatabase();
  private final SingleConnectionDataSource one =
      new SingleConnectionDataSource(
          url, Embedded.server().user(), Embedded.server().password(), true);
  private final JdbcClient jdbc = JdbcClient.create(one);

  @AfterEach
  void close() {
    one.destroy();
  }

  /** Fails without the fence, and with {@code active AND id = ANY (:ids)}. */
  @Test
  void jobsAreFoundByIdWhenStatisticsClaimThatNoneIsActive() {
    ManyJobs.in(url, JOBS);
    int _ = jdbc.sql("ANALYZE job").update();
    seenAs("job", "active", "f");

    assertThat(plan("job/jobs-without-spec"))
        .contains("job_pkey", "Index Cond: (id = (unnest")
        .doesNotContain("Nested Loop Semi Join");
  }

  /** Fails with {@code live AND job = ANY (:jobs)}, and with {@code IN (SELECT unnest(:jobs))}. */
  @Test
  void attemptsAreFoundPerJobWhenStatisticsClaimThatNoneIsLive() {
    seenAs("attempt", "live", "f");
    // no attempt exists, and reading an empty table is even cheaper
    int _ = jdbc.sql("SET enable_seqscan = off").update();

    assertThat(plan("job/live-attempts")).contains("attempt_live", "Index Cond: (job = wanted.id)");
  }

  /** Fails without the fence. */
  @Test
  void nodesAreFoundByIdWhenStatisticsClaimThatAllAreGone() {
    seenAs("node", "state", "RETIRED");

    assertThat(plan("cluster/nodes-in-service")).doesNotContain("Nested Loop Semi Join");
  }

  /** The statistics claim that the column has this value in every row. */
  private void seenAs(String table, String column, String value) {
    assertThat(
            jdbc.sql(
                    """
                    SELECT pg_restore_attribute_stats('schemaname', 'public', 'relname', CAST(:table AS text),
                      'attname', CAST(:column AS text), 'inherited', false, 'null_frac', 0::real,
                      'n_distinct', 1::real, 'most_common_vals', '{' || :value || '}',
                      'most_common_freqs', '{1}'::real[])
                    """)
                .param("table", table)
                .param("column", column)
                .param("value", value)
                .query(Boolean.class)
                .single())
        .isTrue();
  }

  /** A plan for any list of ids. */
  private String plan(String statement) {
    String name = statement.replace('/', '_').replace('-', '_');
    String text = SqlFile.named(statement).text().replace(":ids", "$1").replace(":jobs", "$1");
    int _ = jdbc.sql("SET plan_cache_mode = force_generic_plan").update();
    int _ = jdbc.sql("PREPARE " + name + " (text) AS " + text).update();
    return String.join(
        "\n", jdbc.sql("EXPLAIN EXECUTE " + name + "('{}')").query(String.class).list());
  }
}
