package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An unchanged world consists of the same lists, so comparing it costs nothing. */
class UnchangedWorldTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when a list is rebuilt although none of its rows has changed. */
  @Test
  void listsOfAnUnchangedWorldAreTheSame() {
    world.submit(Specs.job("waits"));
    world.run(world.place(world.submit(Specs.job("runs")), 0, "node-1"));
    World before = stores.world().read();

    World now = stores.world().read();

    assertThat(now.nodes()).isSameAs(before.nodes());
    assertThat(now.pending()).isSameAs(before.pending());
    assertThat(now.live()).isSameAs(before.live());
  }

  /**
   * Fails when the same unfinished jobs are taken as proof that their dependencies are unchanged.
   */
  @Test
  void dependencyArchivedAfterItsEndIsDead() {
    Job first = world.submit(Specs.job("first"));
    Job second = world.submit(Specs.job("second").dependsOn(first, Condition.ENDED));
    world.succeed(world.run(world.place(first, 0, "node-1")));
    assertThat(pending(second).deadDependency()).isNull();

    stores
        .transactions()
        .run(() ->
            stores.jdbc().sql("DELETE FROM job WHERE id = ?").param(first.id().value()).update());

    assertThat(pending(second).deadDependency()).isNotNull();
  }

  /** Fails when a hypothetical job remains in the world of the next read. */
  @Test
  void hypotheticalJobLeavesNoTrace() {
    Job stored = world.submit(Specs.job("stored"));
    int before = stores.world().read().pending().size();

    World with = stores.world().readWith(List.of(stored));

    assertThat(with.pending()).hasSize(before + 1);
    assertThat(stores.world().read().pending()).hasSize(before);
  }

  private PendingJob pending(Job job) {
    return stores.world().read().pending().stream()
        .filter(p -> p.job().id().equals(job.id()))
        .findFirst()
        .orElseThrow();
  }
}
