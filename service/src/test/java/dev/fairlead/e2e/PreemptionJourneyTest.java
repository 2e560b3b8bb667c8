package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that evicts another, from the decision to both their ends. */
class PreemptionJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  @BeforeEach
  void oneNodeAndAQueueThatPreempts() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    ServiceParts.letQueuesPreempt(fairlead);
  }

  private static Specs job(String name, PriorityClass priority, String runFor) {
    return Specs.job(name)
        .gpus(8)
        .priority(priority)
        .annotation("sim.fairlead.dev/run-for", runFor)
        .annotation("sim.fairlead.dev/stop-after", "10s");
  }

  private Reason reason(Job job) {
    return fairlead
        .stores()
        .explanations()
        .of(job.id())
        .orElseThrow()
        .explanation()
        .first()
        .reason();
  }

  @Test
  void victimLeavesInItsGracePeriodAndRestartsAfterThePreemptor() {
    Job low = fairlead.submit(job("low", PriorityClass.LOW, "60s"));
    fairlead.until(low, JobState.RUNNING);
    Job high = fairlead.submit(job("high", PriorityClass.HIGH, "20s"));
    fairlead.pass(Duration.ofSeconds(5));

    assertThat(fairlead.attempts(low).getFirst().state()).isEqualTo(AttemptState.STOPPING);
    assertThat(reason(high)).isEqualTo(Reason.WAITING_FOR_VICTIMS);

    fairlead.until(high, JobState.RUNNING);
    Attempt left = fairlead.attempts(low).getFirst();
    assertThat(left.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(left.failure().cause()).isEqualTo(FailureCause.PREEMPTED);
    assertThat(left.failure().right()).isEqualTo(EvictionRight.WITHIN_QUEUE);
    assertThat(fairlead.job(low).run().failure()).isEqualTo(left.failure());
    assertThat(fairlead.queries().events(fairlead.ana(), low.id(), EventPosition.START, 100))
        .map(EventRecord::fact)
        .filteredOn(fact -> "PREEMPTED".equals(fact.data().get("cause")))
        .as("each event of the preemption has its right")
        .hasSizeGreaterThanOrEqualTo(2)
        .allMatch(fact -> "WITHIN_QUEUE".equals(fact.data().get("right")));
    assertThat(fairlead.state(low)).isEqualTo(JobState.QUEUED);
    fairlead.until(high, JobState.SUCCEEDED);
    fairlead.until(low, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(low)).hasSize(2);
    assertThat(fairlead.job(low).run().failures()).isZero();
    assertThat(fairlead.stores().reservations().all()).isEmpty();
  }

  /** Fails when the reservation is in the scheduler's memory instead of the database. */
  @Test
  void anotherSchedulerRespectsTheReservation() {
    Job low = fairlead.submit(job("low", PriorityClass.LOW, "60s"));
    fairlead.until(low, JobState.RUNNING);
    Job high = fairlead.submit(job("high", PriorityClass.HIGH, "20s"));
    fairlead.pass(Duration.ofSeconds(2));
    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");
    Job thief = next.submit(job("thief", PriorityClass.LOW, "5s"));

    next.until(high, JobState.RUNNING);

    assertThat(next.attempts(thief)).isEmpty();
    assertThat(next.attempts(low)).hasSize(1);
  }

  @Test
  void jobCancelledWhileWaitingReleasesItsReservation() {
    Job low = fairlead.submit(job("low", PriorityClass.LOW, "60s"));
    fairlead.until(low, JobState.RUNNING);
    Job high = fairlead.submit(job("high", PriorityClass.HIGH, "20s"));
    fairlead.pass(Duration.ofSeconds(2));
    fairlead.commands().cancel(fairlead.ana(), high.id());

    fairlead.until(low, JobState.SUCCEEDED);

    assertThat(fairlead.attempts(high)).isEmpty();
    assertThat(fairlead.stores().reservations().all()).isEmpty();
  }
}
