package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Explanations of jobs that may not evict because of fair share. */
class FairShareTest {
  private static final PreemptionRules FAIR =
      new PreemptionRules(PreemptionRules.WithinQueue.NEVER, PreemptionRules.Reclaim.ANY, true);
  private final Scene scene = new Scene();
  private final QuotaNodeId both = scene.group("both", gpus(24, null));

  private static QuotaLimit gpus(long nominal, Long borrowing) {
    Long most = borrowing == null ? null : Long.valueOf(borrowing * 1000);
    return new QuotaLimit(
        new Flavor("H100", CapacityType.RESERVED), "gpu", nominal * 1000, most, null);
  }

  private QuotaNodeId queue(String name, PreemptionRules rules, Long borrowing) {
    QuotaNodeId id = scene.queue(name, both, QueueSettings.DEFAULT, gpus(0, borrowing));
    scene.preempts(id, rules);
    return id;
  }

  private List<Blocker> told(JobBuilder job) {
    return scene.plan().why(job).blockers().stream()
        .filter(b -> b.reason() == Reason.FAIR_SHARE)
        .toList();
  }

  private JobBuilder eight(String queue, QuotaNodeId id) {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    return scene.job("job").queue(queue, id).gpus(8, "H100");
  }

  private void use(Map<QuotaNodeId, Long> gpus) {
    scene.uses.addAll(QuotaWorld.used(scene.quotas, gpus));
  }

  /** Fails when the job is not counted in the share of its queue. */
  @Test
  void jobThatWouldEqualTheOtherShareReportsBothShares() {
    QuotaNodeId first = queue("first", FAIR, null);
    QuotaNodeId second = queue("second", FAIR, null);
    use(Map.of(first, 8L, second, 16L));

    List<Blocker> told = told(eight("first", first));

    assertThat(told).hasSize(1);
    assertThat(told.getFirst().numbers())
        .containsEntry("sharePermille", 667L)
        .containsEntry("otherSharePermille", 667L);
  }

  @Test
  void jobThatWouldHaveASmallerShareDoesNot() {
    QuotaNodeId first = queue("first", FAIR, null);
    QuotaNodeId second = queue("second", FAIR, null);
    use(Map.of(second, 24L));

    assertThat(told(eight("first", first))).isEmpty();
  }

  /** Fails when FairShare ignores the limits of the queue itself. */
  @Test
  void jobRejectedByItsOwnLimitReportsNoShares() {
    QuotaNodeId first = queue("first", FAIR, 8L);
    QuotaNodeId second = queue("second", FAIR, null);
    use(Map.of(first, 8L, second, 16L));

    assertThat(told(eight("first", first))).isEmpty();
  }

  /** Fails when FairShare ignores the rules of the queue. */
  @Test
  void queueWithoutFairSharePreemptionReportsNoShares() {
    QuotaNodeId first = queue("first", PreemptionRules.NONE, null);
    QuotaNodeId second = queue("second", FAIR, null);
    use(Map.of(first, 8L, second, 16L));

    assertThat(told(eight("first", first))).isEmpty();
  }

  @Test
  void groupThatDividesByDeservedSharesComparesNoShares() {
    QuotaNodeId first = queue("first", FAIR, null);
    QuotaNodeId second = queue("second", FAIR, null);
    scene.divides(both);
    use(Map.of(first, 8L, second, 16L));

    assertThat(told(eight("first", first))).isEmpty();
  }
}
