package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs over the end of a window of quota that evicts, from the plan to their ends. */
class QuotaLeftoverJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  /** A queue with 8 instead of 4 GPUs for twenty minutes from midnight, when the clock begins. */
  @BeforeEach
  void aQueueThatHasMoreAtMidnight() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    RecurringWindow midnight =
        RecurringWindow.of(
            Cron.parse("0 0 * * *"), Duration.ofMinutes(20), RecurringWindow.zone("UTC"));
    QuotaLimit limit =
        new QuotaLimit(
            new Flavor("H100", CapacityType.RESERVED),
            "gpu",
            4_000L,
            0L,
            null,
            List.of(new LimitWindow(midnight, 8_000L, null)),
            Duration.ofMinutes(5));
    for (QuotaNode node : fairlead.stores().quotas().nodes(fairlead.ana().tenant())) {
      if (node.isQueue()) {
        fairlead.stores().quotas().update(limited(node, limit));
      }
    }
  }

  private static QuotaNode limited(QuotaNode node, QuotaLimit limit) {
    return node.with().limits(List.of(limit)).version(node.version() + 1).build();
  }

  private Job runs(String name) {
    Job job =
        fairlead.submit(
            Specs.job(name)
                .gpus(4)
                .annotation("sim.fairlead.dev/run-for", "2h")
                .annotation("sim.fairlead.dev/stop-after", "10s"));
    fairlead.until(job, JobState.RUNNING);
    return job;
  }

  /** Fails when the decision is not executed, uses a retry, or evicts more than the excess. */
  @Test
  void newestIsAskedInTheLeadAndWaitsForTheNextWindow() {
    Job first = runs("first");
    Job second = runs("second");

    fairlead.pass(Duration.ofMinutes(14));
    assertThat(fairlead.state(second)).isEqualTo(JobState.RUNNING);
    fairlead.pass(Duration.ofMinutes(2));

    Attempt ended = fairlead.attempts(second).getFirst();
    assertThat(ended.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(ended.failure().right()).isEqualTo(EvictionRight.QUOTA_WINDOW);
    assertThat(fairlead.job(second).run().failures()).isZero();
    fairlead.pass(Duration.ofMinutes(6));
    assertThat(fairlead.state(first)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.state(second)).isEqualTo(JobState.QUEUED);
    assertThat(fairlead.attempts(second)).hasSize(1);
    assertThat(fairlead.stores().explanations().decisions(fairlead.ana().tenant(), second.id()))
        .extracting(DecisionRecord::body)
        .filteredOn(DecisionRecord.Evicted.class::isInstance)
        .hasSize(1);
  }
}
