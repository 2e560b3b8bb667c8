package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.FlavorFallback.Preference;
import dev.fairlead.fleet.quota.FlavorFallback.WhenCanBorrow;
import dev.fairlead.fleet.quota.FlavorFallback.WhenCanPreempt;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import org.junit.jupiter.api.Test;

/**
 * A job that prefers A100 to L4: the flavor that its queue's quota allows, and whether other jobs
 * are evicted.
 */
class FlavorFallbackTest {
  private final Scene scene = new Scene();

  private QuotaNodeId queue(FlavorFallback fallback, long lentA100, long ownA100, long ownL4) {
    QuotaNodeId group = scene.group("group", gpus("A100", lentA100), gpus("L4", 8));
    QuotaNodeId queue =
        scene.queue(
            "team",
            group,
            QueueSettings.of(
                QueueSettings.Order.BEST_EFFORT_FIFO,
                QueueSettings.State.ACTIVE,
                null,
                false,
                fallback),
            gpus("A100", ownA100),
            gpus("L4", ownL4));
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    scene.cluster("eu-1").nodes(1, 8, "A100").nodes(1, 8, "L4");
    return queue;
  }

  private static QuotaLimit gpus(String model, long nominal) {
    return new QuotaLimit(
        new Flavor(model, CapacityType.RESERVED), "gpu", nominal * 1000, null, null);
  }

  private static JobBuilder job(String name, int number, QuotaNodeId queue, String... models) {
    return new JobBuilder(name, number, queue).gpus(8, models).queue("team", queue);
  }

  /** The model it starts on, "evicts" for a job that causes evictions, or "waits". */
  private static String outcome(Scene.Planned plan, JobBuilder job) {
    if (plan.starts(job)) {
      return plan.places(job).getFirst().members().getFirst().flavor().model();
    }
    boolean evicts =
        plan.plan().decisions().stream()
            .anyMatch(d -> d instanceof Decision.Preempt && d.job().equals(job.id()));
    return evicts ? "evicts" : "waits";
  }

  private String startsOn(FlavorFallback fallback) {
    JobBuilder job = job("job", 1, queue(fallback, 8, 0, 8), "A100", "L4");
    scene.jobs.add(job);
    return outcome(scene.plan(), job);
  }

  @Test
  void queueBorrowsThePreferredFlavorByDefault() {
    assertThat(startsOn(FlavorFallback.DEFAULT)).isEqualTo("A100");
  }

  /** Fails when FlavorSteps does not move flavors that would be borrowed. */
  @Test
  void ownedFlavorsComeFirstForAQueueThatPrefersTheNextFlavor() {
    assertThat(
            startsOn(
                new FlavorFallback(
                    WhenCanBorrow.TRY_NEXT_FLAVOR,
                    WhenCanPreempt.TRY_NEXT_FLAVOR,
                    Preference.BORROWING)))
        .isEqualTo("L4");
  }

  /**
   * The flavor that a job of high priority gets while a job of low priority holds the eight A100.
   */
  private String besideALowOne(FlavorFallback fallback, long ownA100, long ownL4) {
    QuotaNodeId queue = queue(fallback, 0, ownA100, ownL4);
    JobBuilder low = job("low", 1, queue, "A100").priority(PriorityClass.LOW).age(60);
    scene.jobs.add(low);
    Story story = new Story(scene);
    assertThat(story.plan().starts(low)).isTrue();
    JobBuilder high = job("high", 2, queue, "A100", "L4").priority(PriorityClass.NORMAL).age(1);
    return outcome(story.submit(high).plan(), high);
  }

  @Test
  void noJobIsEvictedByDefaultWhileAnotherFlavorHasRoom() {
    assertThat(besideALowOne(FlavorFallback.DEFAULT, 16, 8)).isEqualTo("L4");
  }

  /** Fails when FlavorSteps keeps flavors in one step where whenCanPreempt is PREEMPT. */
  @Test
  void aQueueThatPreemptsFirstEvictsOnThePreferredFlavor() {
    assertThat(
            besideALowOne(
                new FlavorFallback(
                    WhenCanBorrow.BORROW, WhenCanPreempt.PREEMPT, Preference.BORROWING),
                16,
                8))
        .isEqualTo("evicts");
  }

  /** Fails when FlavorSteps leaves the preference out. */
  @Test
  void queueThatPrefersPreemptionEvictsWithinItsQuotaBeforeBorrowing() {
    assertThat(
            besideALowOne(
                new FlavorFallback(
                    WhenCanBorrow.TRY_NEXT_FLAVOR,
                    WhenCanPreempt.TRY_NEXT_FLAVOR,
                    Preference.PREEMPTION),
                16,
                0))
        .isEqualTo("evicts");
  }

  /** Fails when FlavorSteps counts the usage of jobs that may be evicted as lost to the queue. */
  @Test
  void useOfItsOwnJobsStillCountsAsQuotaWhenPreemptionIsPreferred() {
    assertThat(
            besideALowOne(
                new FlavorFallback(
                    WhenCanBorrow.TRY_NEXT_FLAVOR,
                    WhenCanPreempt.TRY_NEXT_FLAVOR,
                    Preference.PREEMPTION),
                8,
                0))
        .isEqualTo("evicts");
  }

  /** Fails when FlavorSteps treats all borrowed flavors alike. */
  @Test
  void borrowedFlavorOfTheNearerGroupComesFirst() {
    QuotaNodeId root = scene.group("root", gpus("A100", 8), gpus("L4", 0));
    QuotaNodeId group = scene.queue("group", root, null, gpus("A100", 0), gpus("L4", 8));
    QueueSettings settings =
        QueueSettings.of(
            QueueSettings.Order.BEST_EFFORT_FIFO,
            QueueSettings.State.ACTIVE,
            null,
            false,
            new FlavorFallback(
                WhenCanBorrow.TRY_NEXT_FLAVOR,
                WhenCanPreempt.TRY_NEXT_FLAVOR,
                Preference.BORROWING));
    QuotaNodeId queue = scene.queue("team", group, settings, gpus("A100", 0), gpus("L4", 0));
    scene.cluster("eu-1").nodes(1, 8, "A100").nodes(1, 8, "L4");
    JobBuilder job = job("job", 1, queue, "A100", "L4");
    scene.jobs.add(job);
    assertThat(outcome(scene.plan(), job)).isEqualTo("L4");
  }
}
