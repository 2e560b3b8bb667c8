package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import dev.fairlead.kernel.postgres.ManyJobs;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobFilter;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Lists of many waiting jobs while the statistics are from a time without waiting jobs. */
class StaleStatisticsTest {
  private static final int JOBS = 20_000;
  private static final int PAGE = 20;

  private final String url = Embedded.migratedDatabase();

  /** Fails with a constant phase: all waiting jobs are read and sorted for each page. */
  @Test
  void pageOfWaitingJobsReadsOnlyItsJobs() {
    ManyJobs.in(url, JOBS);
    String user = Embedded.server().user();
    String password = Embedded.server().password();
    JdbcClient owner = JdbcClient.create(new DriverManagerDataSource(url, user, password));
    List.of(
            "ALTER TABLE job SET (autovacuum_enabled = false)",
            "UPDATE job SET state = 'SUCCEEDED', ended_at = now(), created_at = created_at"
                + " - CAST(substr(name, 5) AS int) * interval '1 s'",
            "VACUUM (ANALYZE) job",
            "UPDATE job SET state = 'QUEUED', ended_at = NULL")
        .forEach(statement -> owner.sql(statement).update());
    TenantId tenant =
        new TenantId(owner.sql("SELECT DISTINCT tenant FROM job").query(UUID.class).single());

    try (PostgresInstallation stores = PostgresInstallation.on(url, user, password)) {
      for (JobFilter.Order order : JobFilter.Order.values()) {
        JobFilter filter =
            JobFilter.newest(tenant, null, null, PAGE)
                .with()
                .states(List.of(JobState.QUEUED))
                .order(order)
                .build();
        assertThat(read(stores, filter)).as("%s", order).isBetween((long) PAGE, 2L * PAGE);
      }
    }
  }

  /** The number of rows of job that the list reads. */
  private static long read(PostgresInstallation stores, JobFilter filter) {
    return stores
        .transactions()
        .read(() -> {
          long before = read(stores);
          assertThat(stores.jobs().list(filter).jobs()).hasSize(PAGE);
          return read(stores) - before;
        });
  }

  private static long read(PostgresInstallation stores) {
    return stores
        .jdbc()
        .sql(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'job'")
        .query(Long.class)
        .single();
  }
}
