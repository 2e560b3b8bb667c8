package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Deadlines of jobs and windows of clusters, through the whole service. */
class TimesTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  private void cluster() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
  }

  private Instant in(Duration time) {
    return fairlead.stores().jobs().now().plus(time);
  }

  private static Specs job(String name) {
    return Specs.job(name).gpus(8).annotation("sim.fairlead.dev/run-for", "10h");
  }

  /** Fails when the engine ignores deadlines. */
  @Test
  void waitingJobFailsOnceItCouldNoLongerEndInTime() {
    cluster();
    fairlead.until(fairlead.submit(job("holds-all")), JobState.RUNNING);
    Job waits =
        fairlead.submit(
            job("waits").maxRuntime(Duration.ofMinutes(20)).deadline(in(Duration.ofMinutes(30))));
    fairlead.pass(Duration.ofMinutes(9));
    assertThat(fairlead.state(waits)).isEqualTo(JobState.QUEUED);
    fairlead.pass(Duration.ofMinutes(2));
    assertThat(fairlead.state(waits)).isEqualTo(JobState.FAILED);
    assertThat(fairlead.job(waits).run().failure().cause())
        .isEqualTo(FailureCause.DEADLINE_EXCEEDED);
    assertThat(fairlead.attempts(waits)).isEmpty();
  }

  @Test
  void runningJobIsStoppedAtItsDeadline() {
    cluster();
    Job runs = fairlead.submit(job("runs").deadline(in(Duration.ofMinutes(5))));
    fairlead.until(runs, JobState.RUNNING);
    fairlead.pass(Duration.ofMinutes(7));
    assertThat(fairlead.state(runs)).isEqualTo(JobState.FAILED);
    assertThat(fairlead.attempts(runs))
        .singleElement()
        .satisfies(attempt -> {
          assertThat(attempt.state()).isEqualTo(AttemptState.FAILED);
          assertThat(attempt.failure().cause()).isEqualTo(FailureCause.DEADLINE_EXCEEDED);
        });
  }

  /** Fails when routes are searched in closed windows. */
  @Test
  void timeLimitedCapacityAcceptsJobsThatEndInTime() {
    cluster();
    Cluster row =
        fairlead.stores().inventory().clusters().stream()
            .filter(c -> c.name().equals("eu-1"))
            .findFirst()
            .orElseThrow();
    Window fourHours = new Window(null, in(Duration.ofHours(4)));
    fairlead
        .stores()
        .inventory()
        .configure(
            row.configured(
                row.capacity(), row.pricePerGpuHour(), row.settings().withWindow(fourHours)),
            null);
    Job tooLong = fairlead.submit(job("too-long").maxRuntime(Duration.ofHours(5)));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(fairlead.state(tooLong)).isEqualTo(JobState.QUEUED);
    assertThat(
            fairlead
                .queries()
                .explanation(fairlead.ana(), tooLong.id())
                .view()
                .pending()
                .explanation()
                .first()
                .reason())
        .isEqualTo(Reason.WINDOW_CLOSED);
    Job fits = fairlead.submit(job("fits").maxRuntime(Duration.ofHours(3)));
    fairlead.until(fits, JobState.RUNNING);
  }
}
