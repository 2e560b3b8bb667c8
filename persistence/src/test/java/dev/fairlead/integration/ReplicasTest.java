package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.event.WakeUps.Topic;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two services on one database. */
class ReplicasTest {
  private static final long BOUND_SECONDS = 60;

  @Test
  void localCommitWakesTheOtherReplicaEvenAfterItsConnectionBroke() throws Exception {
    String url = Embedded.migratedDatabase();
    try (PostgresInstallation here = PostgresInstallation.on(url, "postgres", "postgres");
        PostgresInstallation there = PostgresInstallation.on(url, "postgres", "postgres")) {
      TestWorld world = TestWorld.in(here);
      Semaphore woken = new Semaphore(0);
      try (WakeUps.Subscription subscription =
          there.wakeUps().subscribe(Topic.JOBS, woken::release)) {
        world.submit(Specs.job("first"));
        assertThat(woken.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        woken.drainPermits();

        // Fails when a lost connection is not reopened, or when missed notifications are not read
        // afterwards.
        Embedded.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
                + " 'fairlead-listen'");
        assertThat(woken.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        woken.drainPermits();
        world.submit(Specs.job("second"));
        assertThat(woken.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
      }
    }
  }
}
