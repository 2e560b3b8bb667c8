package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import org.junit.jupiter.api.Test;

/** Rows that a step of a job reads in addition to its own. */
class RowsReadByAStepTest {
  /** The history of an hour of short jobs. */
  private static final int ATTEMPTS = 15_000;

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when each event reads the event before it, and when it reads all days. */
  @Test
  void eventsOfAStepLookUpSharedRowsOnce() {
    Job job = world.submit(Specs.job("step"));
    Attempt running = world.run(world.place(job));

    long stored = events(job);
    Scans scans =
        stores
            .transactions()
            .forAllTenants(() -> {
              Scans before = scans();
              world.succeed(running);
              return scans().minus(before);
            });

    assertThat(events(job) - stored).as("events of the step").isGreaterThanOrEqualTo(2);
    assertThat(scans.ofTomorrow()).as("reads of earlier events").isEqualTo(1);
    assertThat(scans.ofLaterDays()).isZero();
    assertThat(scans.projects()).isLessThanOrEqualTo(1);
  }

  /** Fails with the default random_page_cost: each update reads all attempts. */
  @Test
  void anUpdateFindsAttemptsByTheirKeysAmongThoseThatEnded() {
    Attempt attempt = world.place(world.submit(Specs.job("history")));

    String plan =
        stores
            .transactions()
            .forAllTenants(() -> {
              int _ =
                  stores
                      .jdbc()
                      .sql(
                          """
                          INSERT INTO attempt (id, job, element, number, tenant, state, cluster, epoch, created_at,
                                               started_at, ended_at, retired_at)
                          SELECT gen_random_uuid(), job, i, 1, tenant, 'SUCCEEDED', cluster, epoch, created_at, now(),
                                 now(), now()
                          FROM attempt, generate_series(1, :attempts) AS i WHERE id = :id
                          """)
                      .param("attempts", ATTEMPTS)
                      .param("id", attempt.id().value())
                      .update();
              String explained = plan("job/update-attempts");
              int _ = stores.jdbc().sql("DELETE FROM attempt WHERE element > 0").update();
              return explained;
            });

    assertThat(plan).contains("attempt_pkey").doesNotContain("Seq Scan on attempt");
  }

  private record Scans(long ofTomorrow, long ofLaterDays, long projects) {
    Scans minus(Scans earlier) {
      return new Scans(
          ofTomorrow - earlier.ofTomorrow,
          ofLaterDays - earlier.ofLaterDays,
          projects - earlier.projects);
    }
  }

  private long events(Job job) {
    return stores
        .jdbc()
        .sql(
            "SELECT sum(1 + coalesce(jsonb_array_length(more), 0)) FROM event"
                + " WHERE subject = :job AND at > now() - interval '1 hour'")
        .param("job", job.id().value())
        .query(Long.class)
        .single();
  }

  /**
   * Includes earlier transactions, until the server adds them up. The planner may scan indexes of
   * days that have events, so the reads are counted on tomorrow's empty partition.
   */
  private Scans scans() {
    return new Scans(
        scans("= 'event_d' || to_char(now() + interval '1 day', 'YYYYMMDD')"),
        scans(
            "> 'event_d' || to_char(now() + interval '1 day', 'YYYYMMDD') AND relname ~ '^event_d'"),
        scans("= 'project'"));
  }

  private long scans(String tables) {
    return stores
        .jdbc()
        .sql(
            "SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) FROM"
                + " pg_stat_xact_user_tables WHERE relname "
                + tables)
        .query(Long.class)
        .single();
  }

  private String plan(String statement) {
    String name = statement.replace('/', '_').replace('-', '_');
    String text = SqlFile.named(statement).text().replace(":rows", "$1");
    int _ = stores.jdbc().sql("SET LOCAL plan_cache_mode = force_generic_plan").update();
    int _ = stores.jdbc().sql("PREPARE " + name + " (text) AS " + text).update();
    return String.join(
        "\n", stores.jdbc().sql("EXPLAIN EXECUTE " + name + "('[]')").query(String.class).list());
  }
}
