package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fault with a report after the exit code that it caused. */
class LateFaultTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(29);
  private final MemoryStores stores = fairlead.stores();
  private final HealthIntake intake = ServiceParts.intake(stores);

  LateFaultTest() {
    fairlead.register("eu", new FleetPool(8, 8, "H100", 1, 1));
  }

  /** A job whose attempts each end with exit code 1 after a minute. */
  private static Specs fails(int attempts, FailureCause... retried) {
    return Specs.job("fails")
        .gpus(8)
        .retry(attempts, retried)
        .annotation("sim.fairlead.dev/run-for", "1m")
        .annotation("sim.fairlead.dev/outcome", "fail");
  }

  private Attempt first(Job job) {
    return fairlead.attempts(job).getFirst();
  }

  private Job ended(Specs spec) {
    Job job = fairlead.submit(spec);
    for (int i = 0; i < 1000 && (fairlead.attempts(job).isEmpty() || first(job).live()); i++) {
      fairlead.pass(Duration.ofMillis(100));
    }
    assertThat(first(job).failure().cause()).isEqualTo(FailureCause.USER_ERROR);
    return job;
  }

  /** The XID of the node of the first attempt, as of that time. */
  private void report(Job job, Instant at) {
    String name = first(job).members().getFirst().nodeName();
    Node node =
        stores.inventory().nodes(null).stream()
            .filter(n -> n.name().equals(name))
            .findFirst()
            .orElseThrow();
    HealthEvent event =
        new HealthEvent(job.id().text(), at, name, node.gpus().getFirst().serial(), null, 79, "");
    assertThat(intake.take(fairlead.operator(), "eu", List.of(event)).getFirst().incident())
        .isNotNull();
    fairlead.pass(Duration.ofSeconds(1));
  }

  /** Fails when a job pays for a fault that was reported after its exit code. */
  @Test
  void retryIsReturnedAndTheCauseCorrected() {
    Job job = ended(fails(2, FailureCause.USER_ERROR));
    assertThat(fairlead.job(job).run().failures()).isEqualTo(1);
    report(job, first(job).endedAt().minusSeconds(2));

    assertThat(first(job).state()).isEqualTo(AttemptState.FAILED);
    assertThat(first(job).failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(first(job).failure().message()).contains("XID 79", "lost 8 GPU-minutes");
    assertThat(fairlead.job(job).run().failures()).isZero();
    assertThat(fairlead.job(job).run().faults()).isEqualTo(1);
    assertThat(fairlead.attempts(job)).as("without the back-off of a failure").hasSize(2);
    assertThat(stores.events().after(EventPosition.START, 1000))
        .filteredOn(e -> e.fact().type().equals("AttemptExplained"))
        .singleElement()
        .satisfies(
            e -> assertThat(e.fact().data()).containsEntry("cause", FailureCause.GPU_FAULT.name()));
  }

  /** Fails when the retry is lost because the next attempt began before the report. */
  @Test
  void retryIsReturnedWhileTheNextAttemptRuns() {
    Job job = ended(fails(2, FailureCause.USER_ERROR));
    fairlead.until(job, JobState.RUNNING);
    report(job, first(job).endedAt());

    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.job(job).run().failures()).isZero();
    assertThat(first(job).failure().explained()).isTrue();
  }

  /** Fails when a failed job starts again, or does not report the cause. */
  @Test
  void failedJobStaysFailedAndNamesTheFault() {
    Job job = ended(fails(1));
    assertThat(fairlead.state(job)).isEqualTo(JobState.FAILED);
    Instant end = fairlead.job(job).run().endedAt();
    report(job, first(job).endedAt());

    assertThat(fairlead.state(job)).isEqualTo(JobState.FAILED);
    assertThat(fairlead.job(job).run().endedAt()).isEqualTo(end);
    assertThat(fairlead.job(job).run().failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(fairlead.job(job).run().failure().message())
        .contains("XID 79", "Submit the job again.");
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  /** Fails when the element of an array pays for the fault. */
  @Test
  void retryOfAnElementIsReturned() {
    Job array = ended(fails(2, FailureCause.USER_ERROR).array("0-0"));
    report(array, first(array).endedAt());

    JobElement element = stores.jobs().element(array.id(), 0).orElseThrow();
    assertThat(element.run().failures()).isZero();
    assertThat(element.run().faults()).isEqualTo(1);
  }

  /**
   * Fails when a fault that occurs after the end, or is reported long after the end, explains the
   * end.
   */
  @Test
  void laterFaultAndLateReportExplainNoEnd() {
    Job later = ended(fails(1));
    fairlead.pass(Duration.ofSeconds(90));
    report(later, first(later).endedAt().plusSeconds(61));
    assertThat(first(later).failure().cause()).isEqualTo(FailureCause.USER_ERROR);

    Job old = ended(fails(1));
    fairlead.pass(Duration.ofMinutes(10).plusSeconds(1));
    report(old, first(old).endedAt());
    assertThat(first(old).failure().cause()).isEqualTo(FailureCause.USER_ERROR);
  }
}
