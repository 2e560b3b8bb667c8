package dev.fairlead.kernel.postgres;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A table of many jobs. One job is submitted, and the others are copies of its row. Submitting
 * thousands takes ten CPU seconds, and a plan depends only on rows.
 */
public final class ManyJobs {
  private static final String COPIES =
      """
      DO $$
      DECLARE
        same text;
      BEGIN
        SELECT string_agg(quote_ident(column_name), ', ') INTO same
        FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name = 'job' AND is_generated = 'NEVER'
          AND column_name NOT IN ('id', 'name');
        EXECUTE format('INSERT INTO job (id, name, %%1$s) SELECT uuidv7(), ''job-'' || i, %%1$s'
          ' FROM job, generate_series(2, %d) AS i', same);
      END
      $$
      """;

  private ManyJobs() {}

  /** Fills the empty table of a database that has no other user. */
  public static void in(String url, int jobs) {
    String user = Embedded.server().user();
    String password = Embedded.server().password();
    try (PostgresInstallation stores = PostgresInstallation.on(url, user, password)) {
      TestWorld world = TestWorld.in(stores);
      world.append(JobTransitions.submit(world.newJob(Specs.job("job-1").build())));
    }
    DriverManagerDataSource owner = new DriverManagerDataSource(url, user, password);
    int _ = JdbcClient.create(owner).sql(COPIES.formatted(jobs)).update();
  }
}
