package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Lists of jobs that were submitted in batches, so that many jobs have the same time. */
class ListsOfBatchesTest {
  private static final int JOBS = 6_000;
  private static final int BATCH = 500;
  private static final int PAGE = 50;

  private static final String COPIES =
      """
      DO $$
      DECLARE
        same text;
      BEGIN
        SELECT string_agg(quote_ident(column_name), ', ') INTO same
        FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name = 'job' AND is_generated = 'NEVER'
          AND column_name NOT IN ('id', 'name', 'created_at');
        EXECUTE format('INSERT INTO job (id, name, created_at, %%1$s)'
          ' SELECT uuidv7(), ''job-'' || i, created_at + i / %2$d * interval ''1 s'', %%1$s'
          ' FROM job, generate_series(1, %1$d - 1) AS i', same);
      END
      $$
      """;

  private final String url = Embedded.migratedDatabase();
  private final String user = Embedded.server().user();
  private final String password = Embedded.server().password();
  private final PostgresInstallation stores = PostgresInstallation.on(url, user, password);
  private final TestWorld world = TestWorld.in(stores);
  private final Job first = world.submit(Specs.job("job-0"));
  private final JobList lists = new JobList(stores.bean(JdbcClient.class), 2, 2_000);

  @BeforeEach
  void batches() {
    JdbcClient owner = JdbcClient.create(new DriverManagerDataSource(url, user, password));
    int _ = owner.sql(COPIES.formatted(JOBS, BATCH)).update();
    int _ = owner.sql("ANALYZE job").update();
  }

  @AfterEach
  void close() {
    stores.close();
  }

  /** Fails when the list sorts jobs with a different time than the end of the page. */
  @Test
  void pageReadsNoBatchBeyondItsLast() {
    for (JobFilter.Order order : JobFilter.Order.values()) {
      assertThat(read(filter(order, null))).as("%s", order).isLessThan(PAGE + 2 * BATCH);
      assertThat(read(filter(order, first.user())))
          .as("%s of a user", order)
          .isLessThan(PAGE + 2 * BATCH);
    }
  }

  /** Fails when the planner's sort order includes the id: it would sort all jobs of the phase. */
  @Test
  void pageReadsOnlyItsRowsWhenStatisticsShowNoJobOfItsPhase() {
    JdbcClient owner = JdbcClient.create(new DriverManagerDataSource(url, user, password));
    int _ = owner.sql("UPDATE job SET state = 'CANCELLED', ended_at = now()").update();
    assertThat(
            owner
                .sql(
                    """
                    SELECT pg_restore_attribute_stats('schemaname', 'public', 'relname', 'job',
                      'attname', 'phase', 'inherited', false, 'null_frac', 0::real, 'n_distinct', 1::real,
                      'most_common_vals', '{QUEUED}', 'most_common_freqs', '{1}'::real[])
                    """)
                .query(Boolean.class)
                .single())
        .isTrue();

    assertThat(read(filter(JobFilter.Order.NEWEST, null))).isLessThan(PAGE + 2 * BATCH);
  }

  /** Fails when a page skips or repeats jobs with the time of the last job of the page before. */
  @Test
  void pagesThatEndInsideABatchJoinToTheWholeList() {
    for (JobFilter.Order order : JobFilter.Order.values()) {
      List<String> names = new ArrayList<>();
      JobFilter filter = filter(order, null);
      JobSlice page = page(filter);
      page.jobs().forEach(job -> names.add(job.name()));
      while (page.next() != null) {
        page = page(filter.behind(page.next()));
        page.jobs().forEach(job -> names.add(job.name()));
      }
      assertThat(names).as("%s", order).hasSize(JOBS).doesNotHaveDuplicates();
    }
  }

  private JobSlice page(JobFilter filter) {
    return stores.transactions().read(() -> lists.list(filter));
  }

  /** Rows of jobs that a page reads. */
  private long read(JobFilter filter) {
    return stores
        .transactions()
        .read(() -> {
          long before = fetched();
          assertThat(lists.list(filter).jobs()).hasSize(PAGE);
          return fetched() - before;
        });
  }

  private long fetched() {
    return stores
        .jdbc()
        .sql(
            "SELECT pg_stat_get_xact_tuples_fetched(CAST('job' AS regclass))"
                + " + pg_stat_get_xact_tuples_returned(CAST('job' AS regclass))")
        .query(Long.class)
        .single();
  }

  private JobFilter filter(JobFilter.Order order, @Nullable String submittedBy) {
    return new JobFilter(
        world.tenant().id(),
        null,
        List.of(),
        List.of(),
        submittedBy,
        null,
        new TreeMap<>(),
        null,
        null,
        order,
        null,
        PAGE);
  }
}
