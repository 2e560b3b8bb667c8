package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Specs that a process has read before, by {@code JobStore.findAll}. */
class KnownSpecsTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private Job found(Job job) {
    return stores
        .transactions()
        .forAllTenants(() -> stores.jobs().findAll(List.of(job.id(), job.id())).getFirst());
  }

  /** Fails when each step of a job reads its spec from the database. */
  @Test
  void specIsReadOnceWhileTheJobChanges() {
    Job job = world.submit(Specs.job("steps"));
    JobSpec first = found(job).spec();

    Attempt _ = world.run(world.place(job));

    Job running = found(job);
    assertThat(running.state().name()).isEqualTo("RUNNING");
    assertThat(running.spec()).isEqualTo(job.spec()).isSameAs(first);
  }

  /** Fails when a patch is hidden by the spec that was read before it. */
  @Test
  void aPatchedSpecIsReadAgain() {
    Job job = world.submit(Specs.job("patched"));
    assertThat(found(job).spec()).isEqualTo(job.spec());
    JobSpec changed = job.spec().annotated("note", "changed");

    world.append(
        OwnerTransitions.patch(world.job(job), changed, List.of("annotations"), TestWorld.ACTOR));

    assertThat(found(job).spec()).isEqualTo(changed);
  }

  /** Fails when only the version is compared: a lost patch and a later one may have the same. */
  @Test
  void patchLostByARestoreIsNotConfusedWithOneOfTheSameVersion() {
    Job job = world.submit(Specs.job("restored"));
    world.append(
        OwnerTransitions.patch(
            world.job(job),
            job.spec().annotated("note", "lost"),
            List.of("annotations"),
            TestWorld.ACTOR));
    assertThat(found(job).spec().annotations()).containsEntry("note", "lost");

    int _ =
        stores
            .transactions()
            .forAllTenants(() ->
                stores
                    .jdbc()
                    .sql(
                        """
                        UPDATE job SET patched_at = patched_at + interval '1 second',
                               spec = jsonb_set(spec, '{annotations,note}', '"repeated"')
                        WHERE id = ?
                        """)
                    .param(job.id().value())
                    .update());

    assertThat(found(job).spec().annotations()).containsEntry("note", "repeated");
  }
}
