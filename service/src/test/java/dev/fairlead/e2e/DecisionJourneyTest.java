package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.DecisionRecord.Kind;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.estimate.PreemptionCount;
import dev.fairlead.work.job.service.query.DecisionSpan;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stored decisions about a job, from its first wait to after its end. */
class DecisionJourneyTest {
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

  private List<DecisionSpan> decisions(Job job) {
    return fairlead.queries().decisions(fairlead.ana(), job.id(), null, null);
  }

  private List<Kind> kinds(Job job) {
    return decisions(job).stream().map(span -> span.decided().body().kind()).toList();
  }

  /** Fails when a wait is not recorded, or records are deleted with the end of the job. */
  @Test
  void endedJobExplainsItsWaitPlacementAndEviction() {
    Job first = fairlead.submit(job("first", PriorityClass.HIGH, "150s"));
    fairlead.until(first, JobState.RUNNING);
    Job low = fairlead.submit(job("low", PriorityClass.LOW, "60s"));
    fairlead.until(first, JobState.SUCCEEDED);
    fairlead.until(low, JobState.RUNNING);
    Job high = fairlead.submit(job("high", PriorityClass.HIGH, "5s"));
    fairlead.until(low, JobState.QUEUED);
    fairlead.until(low, JobState.SUCCEEDED);

    assertThat(kinds(low)).containsExactly(Kind.WAITED, Kind.PLACED, Kind.EVICTED, Kind.PLACED);
    List<DecisionSpan> told = decisions(low);
    assertThat(told.getFirst().decided().reason()).isEqualTo(Reason.CAPACITY);
    assertThat(told.getFirst().until()).isEqualTo(told.get(1).decided().at());
    DecisionRecord.Placed placed = (DecisionRecord.Placed) told.get(1).decided().body();
    assertThat(placed.place().gpuMilli()).isEqualTo(8_000);
    DecisionRecord.Evicted evicted = (DecisionRecord.Evicted) told.get(2).decided().body();
    assertThat(evicted.right()).isEqualTo(EvictionRight.WITHIN_QUEUE);
    assertThat(evicted.by()).isEqualTo(high.id());
    assertThat(((DecisionRecord.Placed) told.get(3).decided().body()).attempt()).isEqualTo(2);
    assertThat(told.getLast().until()).isEqualTo(fairlead.job(low).run().endedAt());
    DecisionRecord.Placed took =
        (DecisionRecord.Placed) decisions(high).getFirst().decided().body();
    assertThat(took.victims()).containsEntry(EvictionRight.WITHIN_QUEUE, 1);
    assertThat(
            fairlead
                .stores()
                .explanations()
                .counted(low.tenant(), low.queue(), PriorityClass.LOW.value(), 1))
        .as("starts, and how often one had to leave")
        .extracting(count -> count.of().right(), PreemptionCount::times)
        .containsExactly(tuple(null, 2L), tuple(EvictionRight.WITHIN_QUEUE, 1L));
  }

  /** Fails when a wait is recorded before its minute, or by each cycle. */
  @Test
  void waitIsRecordedOnceAMinuteAfterItsStart() {
    Job runs = fairlead.submit(job("runs", PriorityClass.HIGH, "1h"));
    fairlead.until(runs, JobState.RUNNING);
    Job waits = fairlead.submit(job("waits", PriorityClass.LOW, "60s"));
    Instant submitted = fairlead.stores().clock().instant();

    fairlead.pass(Duration.ofSeconds(50));
    assertThat(decisions(waits)).isEmpty();
    fairlead.pass(Duration.ofSeconds(20));

    assertThat(kinds(waits)).containsExactly(Kind.WAITED);
    assertThat(decisions(waits).getFirst().decided().at())
        .as("when the wait began")
        .isBetween(submitted, submitted.plusSeconds(5));
    fairlead.pass(Duration.ofMinutes(5));
    assertThat(kinds(waits)).as("the same reason is recorded once").hasSize(1);
  }

  @Test
  void reasonAtATimeIsTheNewestEarlierDecision() {
    Job job = fairlead.submit(job("runs", PriorityClass.HIGH, "30s"));
    Instant before = fairlead.stores().clock().instant().minusSeconds(1);
    fairlead.until(job, JobState.RUNNING);
    Instant during = fairlead.stores().clock().instant();
    fairlead.until(job, JobState.SUCCEEDED);
    Instant after = fairlead.stores().clock().instant().plusSeconds(1);

    assertThat(at(job, during)).containsExactly(Kind.PLACED);
    assertThat(at(job, before)).isEmpty();
    assertThat(at(job, after)).isEmpty();
    assertThat(fairlead.queries().decisions(fairlead.ana(), job.id(), Kind.MOVED, null)).isEmpty();
  }

  private List<Kind> at(Job job, Instant time) {
    return fairlead.queries().decisions(fairlead.ana(), job.id(), null, time).stream()
        .map(span -> span.decided().body().kind())
        .toList();
  }

  @Test
  void anotherTenantFindsNoJob() {
    Job job = fairlead.submit(job("runs", PriorityClass.HIGH, "30s"));
    fairlead.until(job, JobState.RUNNING);
    Actor other =
        new Actor(new TenantId(fairlead.stores().ids().next()), "eve", Role.TENANT_MEMBER);

    assertThatThrownBy(() -> fairlead.queries().decisions(other, job.id(), null, null))
        .isInstanceOf(Refusal.class);
  }

  /** Fails when an eviction that the scheduler did not decide leaves no record. */
  @Test
  void drainIsADistinctEvictionCause() {
    fairlead.register("eu-2", new FleetPool(1, 8, "H100", 1, 1));
    Job job = fairlead.submit(job("drained", PriorityClass.LOW, "1h"));
    fairlead.until(job, JobState.RUNNING);
    String node = fairlead.attempts(job).getFirst().members().getFirst().node().text();
    fairlead.drains().drainNode(fairlead.operator(), node, null, false);
    fairlead.pass(Duration.ofMinutes(2));

    assertThat(kinds(job)).containsExactly(Kind.PLACED, Kind.EVICTED, Kind.PLACED);
  }
}
