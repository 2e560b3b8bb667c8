package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An update of a job does not copy its spec, because the spec is stored out of line. */
class SpecsOutOfLineTest {
  private static final String CHUNK =
      "SELECT pg_column_toast_chunk_id(spec)::bigint FROM job WHERE id = ?";

  /** The number of the stored spec, empty if it is stored in the row of the job. */
  private static Optional<Long> stored(PostgresInstallation stores, Job job) {
    return stores
        .transactions()
        .forAllTenants(() ->
            Optional.ofNullable(
                stores
                    .jdbc()
                    .sql(CHUNK)
                    .param(job.id().value())
                    .query((row, n) -> row.getObject(1, Long.class))
                    .list()
                    .getFirst()));
  }

  /** Fails without the filler: a row below 2 kB has its spec, and each update copies it. */
  @Test
  void lifecycleOfAJobStoresTheSpecOnce() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld world = TestWorld.in(stores);
    Job job = world.submit(Specs.job("once"));
    Optional<Long> submitted = stored(stores, job);

    Attempt ended = world.succeed(world.run(world.place(job)));

    assertThat(submitted).isPresent();
    assertThat(stored(stores, job)).isEqualTo(submitted);
    assertThat(world.jobOf(ended).spec()).isEqualTo(job.spec());
  }

  /** Fails when a patch stores the changed spec in the row: the filler is compressed by then. */
  @Test
  void aChangedSpecIsOutOfLineToo() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld world = TestWorld.in(stores);
    Job job = world.submit(Specs.job("changed"));
    Optional<Long> submitted = stored(stores, job);

    world.append(
        OwnerTransitions.patch(world.job(job), job.spec(), List.of("priority"), TestWorld.ACTOR));

    assertThat(stored(stores, job)).isPresent().isNotEqualTo(submitted);
  }

  /** Fails when a search for dependencies or volumes reads the spec of each job. */
  @Test
  void aJobWithoutDependenciesAndVolumesIsNotSearched() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld world = TestWorld.in(stores);
    Job job = world.submit(Specs.job("alone"));

    assertThat(searched(stores, job)).isEqualTo("false false");
  }

  private static String searched(PostgresInstallation stores, Job job) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("SELECT depends::text || ' ' || mounts FROM job WHERE id = ?")
                .param(job.id().value())
                .query(String.class)
                .single());
  }
}
