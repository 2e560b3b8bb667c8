package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WhileBorrowing;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The jobs in other queues that a job may evict if its own queue borrows and the group is full. */
class BorrowingPreemptionTest {
  private final Scene scene = new Scene();
  private final QuotaNodeId group = scene.group("group", OrderTest.lendable(8));
  private final QuotaNodeId guest =
      scene.queue("guest", group, QueueSettings.DEFAULT, OrderTest.lendable(0));
  private final QuotaNodeId other =
      scene.queue("other", group, QueueSettings.DEFAULT, OrderTest.lendable(0));

  /** The rights by which a job of normal priority has others evicted. */
  private List<EvictionRight> evicts(WhileBorrowing borrowing, Integer most, PriorityClass victim) {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.preempts(
        guest, new PreemptionRules(WithinQueue.NEVER, Reclaim.ANY, false, borrowing, most));
    JobBuilder runs = new JobBuilder("runs", 1, other).gpus(8).queue("other", other);
    scene.jobs.add(runs.priority(victim).age(60));
    Story story = new Story(scene);
    assertThat(story.plan().starts(runs)).isTrue();
    JobBuilder waits = new JobBuilder("waits", 2, guest).gpus(8).queue("guest", guest);
    return story
        .submit(waits.priority(PriorityClass.NORMAL).age(1))
        .plan()
        .plan()
        .decisions()
        .stream()
        .filter(Decision.Preempt.class::isInstance)
        .flatMap(d -> ((Decision.Preempt) d).victims().stream())
        .map(Decision.Preempt.Eviction::right)
        .toList();
  }

  @Test
  void borrowerEvictsNothingByDefault() {
    assertThat(evicts(WhileBorrowing.NEVER, null, PriorityClass.LOW)).isEmpty();
  }

  /** Fails when Preemptor.whileBorrowing is always false. */
  @Test
  void borrowerEvictsLowerPriorityIfItsQueueAllowsIt() {
    assertThat(evicts(WhileBorrowing.LOWER_PRIORITY, null, PriorityClass.LOW))
        .containsExactly(EvictionRight.WHILE_BORROWING);
  }

  /** Fails when Preemptor.mayEvictWhileBorrowing leaves the priority of the victim out. */
  @Test
  void borrowerEvictsNoJobOfItsPriority() {
    assertThat(evicts(WhileBorrowing.LOWER_PRIORITY, null, PriorityClass.NORMAL)).isEmpty();
  }

  /** Fails when Preemptor.mayEvictWhileBorrowing omits maxVictimPriority. */
  @Test
  void borrowerEvictsNoJobAboveThePriorityBound() {
    assertThat(evicts(WhileBorrowing.LOWER_PRIORITY, 99, PriorityClass.LOW)).isEmpty();
  }
}
