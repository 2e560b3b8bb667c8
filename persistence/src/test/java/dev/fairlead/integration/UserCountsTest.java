package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The cost of counting the jobs of one user among very many waiting jobs. */
class UserCountsTest {
  private static PostgresInstallation stores;
  private static Job job;

  @BeforeAll
  static void aUserWithManyJobsThatWait() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
    job = TestWorld.in(stores).submit(Specs.job("first"));
    for (int part = 0; part < 4; part++) {
      fiveThousandMore(part);
    }
    sql("ANALYZE job, attempt");
  }

  /**
   * Each in its own transaction, because on a slow machine all together exceed the time limit of
   * one.
   */
  private static void fiveThousandMore(int part) {
    int _ =
        stores
            .transactions()
            .forAllTenants(() ->
                stores
                    .jdbc()
                    .sql(
                        """
                        INSERT INTO job (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state,
                                         changed_at, attempts, failures, spec, labels, version)
                        SELECT gen_random_uuid(), tenant, project, queue, name || '-' || :part || '-' || n, submitted_by,
                               priority, gpu_milli, created_at, 'QUEUED', changed_at, 0, 0, spec, labels, 1
                        FROM job, generate_series(1, 5000) AS n
                        WHERE job.name = :first
                        """)
                    .param("part", part)
                    .param("first", job.name())
                    .update());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  private static void sql(String statement) {
    int _ = stores.jdbc().sql(statement).update();
  }

  private static List<String> plan(@Nullable String user) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("job/run-use").text())
                .param("queue", job.queue().value())
                .param("user", user)
                .param("project", null)
                .param("most", 3L)
                .param("default_millis", 60_000L)
                .param("timed", true)
                .param("host", 0L)
                .query(String.class)
                .list());
  }

  /**
   * Fails when a placement reads every queued job of its user or of any user. If statistics report
   * no live attempts, jobs are looked up by attempts.
   */
  @Test
  void placementReadsNoJobThatOnlyWaits() {
    for (@Nullable String user : Arrays.asList(job.user(), null)) {
      assertThat(plan(user))
          .anyMatch(line ->
              line.contains("job_tried_of_user") || line.contains("Index Cond: (id = a.job)"))
          .noneMatch(line -> line.contains("Seq Scan on job"));
    }
  }

  /** Fails when each element of an array that moves writes to every index of its job. */
  @Test
  void progressOfAnArrayIsWrittenToNoIndex() {
    Job array = TestWorld.in(stores).submit(Specs.job("array").array("0-9"));

    long hot =
        stores
            .transactions()
            .forAllTenants(() -> {
              int changed =
                  stores
                      .jdbc()
                      .sql("UPDATE job SET progress = '{\"live\": 1}', version = 2 WHERE id = :id")
                      .param("id", array.id().value())
                      .update();
              assertThat(changed).isOne();
              return stores
                  .jdbc()
                  .sql("SELECT pg_stat_get_xact_tuples_hot_updated('job'::regclass)")
                  .query(Long.class)
                  .single();
            });

    assertThat(hot).isOne();
  }

  /** Fails when arrays are not among the jobs that may hold something. */
  @Test
  void arraysAreCounted() {
    Job array = TestWorld.in(stores).submit(Specs.job("counted").array("0-9"));

    assertThat(
            stores
                .transactions()
                .forAllTenants(() ->
                    stores
                        .jdbc()
                        .sql(
                            "SELECT count(*) FROM job WHERE id = :id AND spec ->> 'array' IS NOT"
                                + " NULL")
                        .param("id", array.id().value())
                        .query(Long.class)
                        .single()))
        .isOne();
  }
}
