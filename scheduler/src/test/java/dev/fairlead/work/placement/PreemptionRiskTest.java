package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WhileBorrowing;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.job.estimate.PreemptionRisk.QueueRisk;
import dev.fairlead.work.spec.PriorityClass;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The jobs that may preempt a job, reported before its submit. */
class PreemptionRiskTest {
  private final Scene scene = new Scene();
  private final QuotaNodeId group = scene.group("group", OrderTest.lendable(0));
  private final QuotaNodeId owner =
      scene.queue("owner", group, QueueSettings.DEFAULT, OrderTest.lendable(8));
  private final QuotaNodeId guest =
      scene.queue("guest", group, QueueSettings.DEFAULT, OrderTest.lendable(4));

  private PreemptionRisk risk(PriorityClass priority, int gpus) {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").queue("guest", guest).priority(priority).gpus(gpus, "H100");
    return Forecaster.of(new Snapshot(scene.world(), List.of(), 1_000_000_000), job.pending().job())
        .risk();
  }

  /** Fails when the owner of the borrowed quota is omitted, or is reported to need a priority. */
  @Test
  void borrowingJobCanBeReclaimedByTheOwnerImmediately() {
    scene.preempts(owner, WithinQueue.NEVER, Reclaim.ANY);

    assertThat(risk(PriorityClass.NORMAL, 8).by())
        .containsExactly(new QueueRisk("owner", EvictionRight.RECLAIM, 100, false, true));
  }

  /** Fails when a job within the quota of its queue is reported as reclaimable now. */
  @Test
  void jobWithinItsQueueQuotaIsReclaimableOnlyWhileTheQueueBorrows() {
    scene.preempts(owner, WithinQueue.NEVER, Reclaim.LOWER_PRIORITY);

    assertThat(risk(PriorityClass.NORMAL, 4).by())
        .containsExactly(new QueueRisk("owner", EvictionRight.RECLAIM, 1000, false, false));
  }

  /** Fails when equal jobs that were submitted later also count. */
  @Test
  void onlyEarlierJobsOfTheQueueMayPreemptAtEqualPriority() {
    scene.preempts(guest, WithinQueue.LOWER_OR_NEWER_EQUAL, Reclaim.NEVER);

    assertThat(risk(PriorityClass.NORMAL, 4).by())
        .containsExactly(new QueueRisk("guest", EvictionRight.WITHIN_QUEUE, 500, true, true));
  }

  /** Fails when a queue without quota is reported as able to reclaim. */
  @Test
  void queueWithoutQuotaReclaimsNothingButMayPreemptWhileBorrowing() {
    QuotaNodeId poor = scene.queue("poor", group, QueueSettings.DEFAULT, OrderTest.lendable(0));
    scene.preempts(
        poor,
        new PreemptionRules(
            WithinQueue.NEVER, Reclaim.ANY, false, WhileBorrowing.LOWER_PRIORITY, 100));

    assertThat(risk(PriorityClass.LOW, 8).by())
        .containsExactly(new QueueRisk("poor", EvictionRight.WHILE_BORROWING, 500, false, true));
  }

  /** Fails when a queue of another tree is named. */
  @Test
  void queueOfAnotherTreeCannotPreempt() {
    QuotaNodeId far = scene.queue("far", null, QueueSettings.DEFAULT);
    scene.preempts(far, WithinQueue.LOWER_PRIORITY, Reclaim.ANY);

    assertThat(risk(PriorityClass.LOW, 8).by()).isEmpty();
  }

  /** Fails when the rules are evaluated for a job that is never evicted. */
  @Test
  void nonPreemptibleJobHasNoPreemptor() {
    scene.preempts(owner, WithinQueue.NEVER, Reclaim.ANY);

    PreemptionRisk risk = risk(PriorityClass.HIGH, 4);

    assertThat(risk.allowed()).isFalse();
    assertThat(risk.by()).isEmpty();
  }
}
