package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobControl;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An order is stored after the work is done and before its end is observed. */
class FinishedFirstTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(5);
  private final JobControl control = FairleadSubmits.control(fairlead);

  private Job running() {
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job job =
        fairlead.submit(
            Specs.job("done").gpus(8).workers(2).annotation("sim.fairlead.dev/run-for", "20s"));
    return fairlead.until(job, JobState.RUNNING);
  }

  /** Fails when the order decides: the job is cancelled, held back, or runs a second time. */
  @ParameterizedTest
  @ValueSource(strings = {"cancel", "suspend", "requeue"})
  void finishedJobSucceedsWhateverItsOwnerOrders(String order) {
    Job job = running();
    fairlead.stores().clock().advance(Duration.ofSeconds(30));
    order(order, job);

    fairlead.pass(Duration.ofMinutes(5));

    assertThat(fairlead.state(job)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job))
        .extracting(Attempt::state)
        .containsExactly(AttemptState.SUCCEEDED);
  }

  /** Fails when a job that exits with 0 after SIGTERM counts as finished. */
  @Test
  void deletedJobThatExitedZeroIsStillCancelled() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    Job job =
        fairlead.submit(
            Specs.job("obeys").gpus(8).annotation("sim.fairlead.dev/stop-exit-code", "0"));
    fairlead.until(job, JobState.RUNNING);
    order("cancel", job);

    fairlead.until(job, JobState.CANCELLED);

    assertThat(fairlead.attempts(job).getFirst().state()).isEqualTo(AttemptState.CANCELLED);
  }

  private void order(String order, Job job) {
    JobControl.Order by = new JobControl.Order(fairlead.ana(), job.id(), null, false);
    switch (order) {
      case "cancel" -> fairlead.commands().cancel(fairlead.ana(), job.id());
      case "suspend" -> control.suspend(by);
      default -> control.requeue(by);
    }
  }
}
