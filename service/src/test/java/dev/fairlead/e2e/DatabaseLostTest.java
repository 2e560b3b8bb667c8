package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The database is lost while a supervisor stores an observation. A cluster shows an end once, and
 * the next full pass is minutes later.
 */
class DatabaseLostTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  @BeforeEach
  void aCluster() {
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
  }

  private Job running() {
    Job job = fairlead.submit(Specs.job("job").annotation("sim.fairlead.dev/run-for", "20s"));
    return fairlead.until(job, JobState.RUNNING);
  }

  private void endsSoon(Job job) {
    Instant before = fairlead.stores().clock().instant();
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.stores().clock().instant()).isBefore(before.plus(SOON));
  }

  /** Fails when {@code ReconcilePass.store} does not retry unstored verdicts. */
  @Test
  void endMissedDuringAnOutageIsStoredSoonAfter() {
    Job job = running();
    AtomicInteger failures = new AtomicInteger(2); // together with others, then individually
    fairlead.whenWritten(transition -> {
      if (transition.job().state() == JobState.SUCCEEDED && failures.getAndDecrement() > 0) {
        throw new IllegalStateException("the connection is gone");
      }
    });
    endsSoon(job);
    assertThat(failures.get()).isNegative();
  }

  /** Fails when a pass that throws is not followed by a full pass. */
  @Test
  void missedTurnIsMadeUpFor() {
    Job job = running();
    fairlead.pass(Duration.ofSeconds(10));
    fairlead.loseReads(1); // the next check is the end
    assertThatThrownBy(() -> fairlead.pass(SOON)).hasMessage("the connection is gone");
    endsSoon(job);
  }
}
