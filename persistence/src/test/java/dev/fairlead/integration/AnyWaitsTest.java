package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import org.junit.jupiter.api.Test;

/** Whether anything waits, in a separate database. */
class AnyWaitsTest {
  /** Fails when a waiting job or element is missed, or a running job counts as waiting. */
  @Test
  void waitingJobsAndElementsAreSeen() {
    try (PostgresInstallation stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password())) {
      TestWorld world = TestWorld.in(stores);
      assertThat(stores.world().anyWaits()).isFalse();

      Job job = world.submit(Specs.job("one"));
      assertThat(stores.world().anyWaits()).isTrue();
      world.run(world.place(job, 0, "node-1"));
      assertThat(stores.world().anyWaits()).isFalse();

      Job array = world.submit(Specs.job("array").array("0-1"));
      world.run(world.place(array, 0, "node-1"));
      assertThat(stores.world().anyWaits()).isTrue();
      world.run(world.place(array, 1, "node-2"));
      assertThat(stores.world().anyWaits()).isFalse();
    }
  }
}
