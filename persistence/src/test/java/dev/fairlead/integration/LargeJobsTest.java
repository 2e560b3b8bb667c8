package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** Jobs with many elements move to the archive in pieces, within any statement time limit. */
class LargeJobsTest {
  private static final Ages AT_ONCE =
      new Ages(Duration.ZERO, Duration.ofDays(7), Duration.ofDays(1), Duration.ofDays(30));
  private static final int ELEMENTS = 10_000;

  /** Much less than the time of a job with this many elements. */
  private static final String IN_A_HURRY = "50ms";

  private static final String TAKEN =
      """
      INSERT INTO job_archive (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active,
                               changed_at, attempts, failures, spec, labels, version, element_rows, attempt_rows, member_rows)
      SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, false,
             changed_at, attempts, failures, spec, labels, version, '[]', '[]', '[]'
      FROM job WHERE id = :job
      """;

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  @Test
  void jobTooLargeForOneStatementIsWrittenInPiecesAndReadBack() {
    // Fails when a job is always moved as a whole, regardless of its number of rows.
    Job large = ended("large");
    Job small = ended("small");
    grow(large, ELEMENTS);
    final List<JobElement> elements = stores.jobs().elements(large.id(), 4_990, 20);
    final List<Attempt> attempts = stores.jobs().attempts(large.id(), 20);
    assertThatThrownBy(() -> clear(10 * ELEMENTS, IN_A_HURRY))
        .isInstanceOf(DataAccessException.class)
        .rootCause()
        .hasMessageContaining("statement timeout");

    int steps = clear();

    assertThat(steps).isGreaterThan(10);
    assertThat(
            rows("job WHERE id IN ('%s', '%s')".formatted(large.id().value(), small.id().value())))
        .isZero();
    assertThat(rows("job_archive_part WHERE job = '%s'".formatted(large.id().value())))
        .isGreaterThan(10);
    assertThat(world.job(large)).isEqualTo(large);
    assertThat(stores.jobs().elements(large.id(), 4_990, 20)).isEqualTo(elements);
    assertThat(stores.jobs().attempts(large.id(), 20)).isEqualTo(attempts);
  }

  @Test
  void unmovableJobIsSkippedAndTheNextOnesAreMoved() {
    // Fails when a job that fails at one row remains the first of the due jobs.
    Job bad = ended("bad");
    final Job good = ended("good");
    inTransaction(TAKEN, bad); // its place in the archive is taken

    clear();

    assertThat(rows("job WHERE id = '%s'".formatted(bad.id().value()))).isOne();
    assertThat(rows("job WHERE id = '%s'".formatted(good.id().value()))).isZero();
    inTransaction("DELETE FROM job_archive WHERE id = :job", bad);
  }

  private void inTransaction(String statement, Job job) {
    stores
        .transactions()
        .run(() -> stores.jdbc().sql(statement).param("job", job.id().value()).update());
  }

  /** Like the loop: half as many rows after a failure. Returns how many steps succeeded. */
  private int clear() {
    int rows = ELEMENTS / 5;
    for (int steps = 0; ; steps++) {
      try {
        if (clear(rows, "30s") == 0) {
          return steps;
        }
      } catch (DataAccessException failed) {
        rows = Math.max(1, rows / 2);
      }
    }
  }

  private int clear(int rows, String limit) {
    return stores
        .transactions()
        .call(() -> {
          stores
              .jdbc()
              .sql("SELECT set_config('statement_timeout', :limit, true)")
              .param("limit", limit)
              .query()
              .singleValue();
          return stores.bean(RetentionStore.class).clear(RetentionStore.Kind.JOBS, AT_ONCE, rows);
        });
  }

  private Job ended(String name) {
    Job array = world.submit(Specs.job(world.uniqueName(name)).array("0-0").gpus(1));
    Attempt attempt = world.succeed(world.run(world.place(array, 0, "node-1")));
    Job job = stores.jobs().lock(List.of(attempt.job())).getFirst();
    world.append(JobTransitions.retire(job, attempt, world.now(), TestWorld.ACTOR));
    return world.job(array);
  }

  /** Copies the element, attempt and member that the job has. */
  private void grow(Job job, int elements) {
    String more =
        """
        CREATE TEMP TABLE copies ON COMMIT DROP AS
          SELECT gen_random_uuid() AS id, a.id AS of, e FROM attempt a, generate_series(1, %1$d - 1) e
          WHERE a.job = '%2$s';
        INSERT INTO job_element SELECT r.* FROM job_element x, copies c,
          jsonb_populate_record(x, jsonb_build_object('idx', c.e)) r WHERE x.job = '%2$s' AND x.idx = 0;
        INSERT INTO attempt (id, job, element, number, tenant, state, cluster, epoch, created_at, started_at, ended_at, retired_at)
          SELECT c.id, a.job, c.e, 1, a.tenant, a.state, a.cluster, a.epoch, a.created_at, a.started_at, a.ended_at, a.retired_at
          FROM attempt a JOIN copies c ON c.of = a.id;
        INSERT INTO member SELECT r.* FROM member x JOIN copies c ON c.of = x.attempt,
          jsonb_populate_record(x, jsonb_build_object('attempt', c.id)) r
        """
            .formatted(elements, job.id().value());
    stores.transactions().run(() -> stores.jdbc().sql(more).update());
  }

  private long rows(String of) {
    return stores.jdbc().sql("SELECT count(*) FROM " + of).query(Long.class).single();
  }
}
