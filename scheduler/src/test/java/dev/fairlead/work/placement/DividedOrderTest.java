package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Order in a group that divides GPUs, choice of the evicted job among equal ones, and roles in
 * proportion.
 */
class DividedOrderTest {
  private final Scene scene = new Scene();

  /**
   * Fails when Turns checks whether the queue of a head borrows, instead of the child of the group.
   */
  @Test
  void childWithinItsQuotaPrecedesAnOlderBorrower() {
    QuotaNodeId root = scene.group("root", OrderTest.lendable(4));
    scene.divides(root);
    QuotaNodeId owner = scene.queue("owner", root, null, OrderTest.lendable(4));
    QuotaNodeId inside = scene.queue("inside", owner, QueueSettings.DEFAULT, OrderTest.lendable(0));
    QuotaNodeId outside =
        scene.queue("outside", root, QueueSettings.DEFAULT, OrderTest.lendable(0));
    scene.cluster("eu-1").nodes(1, 4, "H100").nodes(1, 4, "L4");
    JobBuilder owned = scene.job("owned").gpus(4, "H100").queue("inside", inside).age(1);
    JobBuilder older = scene.job("older").gpus(1, "H100").queue("outside", outside).age(100);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(owned)).isTrue();
    assertThat(plan.starts(older)).isFalse();
  }

  /** Fails when DeservedOrder measures a child only by its requests. */
  @Test
  void childOwningMoreThanItsRequestIsRankedByItsQuota() {
    QuotaNodeId root = scene.group("root", OrderTest.lendable(0));
    scene.divides(root);
    QuotaNodeId rich = scene.queue("rich", root, QueueSettings.DEFAULT, OrderTest.lendable(8));
    QuotaNodeId poor = scene.queue("poor", root, QueueSettings.DEFAULT, OrderTest.lendable(4));
    scene.cluster("eu-1").nodes(1, 2, "H100");
    JobBuilder modest = scene.job("modest").gpus(2).queue("rich", rich).age(1);
    JobBuilder older = scene.job("older").gpus(2).queue("poor", poor).age(100);
    JobBuilder more = scene.job("more").gpus(2).queue("poor", poor).age(50);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(modest)).isTrue();
    assertThat(plan.starts(older)).isFalse();
    assertThat(plan.starts(more)).isFalse();
  }

  /** Fails when RunningJob.cheapestFirst leaves the time of submission out. */
  @Test
  void newestOfEqualRunningJobsIsEvicted() {
    QuotaNodeId team = scene.queue("team", null, QueueSettings.DEFAULT);
    scene.preempts(team, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder newer = new JobBuilder("newer", 1, team).gpus(8).queue("team", team);
    JobBuilder older = new JobBuilder("older", 2, team).gpus(8).queue("team", team);
    scene.jobs.add(newer.priority(PriorityClass.LOW).age(60));
    scene.jobs.add(older.priority(PriorityClass.LOW).age(90));
    Story story = new Story(scene);
    assertThat(story.plan().places()).hasSize(2);
    JobBuilder high = new JobBuilder("high", 3, team).gpus(8).queue("team", team);

    Scene.Planned plan = story.submit(high.priority(PriorityClass.NORMAL).age(1)).plan();

    assertThat(plan.plan().decisions())
        .filteredOn(Decision.Preempt.class::isInstance)
        .flatExtracting(d -> ((Decision.Preempt) d).victims())
        .extracting(v -> ((Decision.Preempt.Eviction) v).job())
        .containsExactly(newer.id());
  }

  /** Fails when GangShape.counts removes the missing members from one role after another. */
  @Test
  void elasticJobStartedBelowItsMaximumReleasesMembersOfEachRole() {
    scene.cluster("eu-1").nodes(4, 1, "H100");
    JobBuilder job =
        scene.job("job").elastic(1, 3).gpus(1).thenRole("server").elastic(1, 3).gpus(1);

    List<String> roles =
        scene.plan().places(job).getFirst().members().stream().map(Member::role).toList();

    assertThat(roles).containsExactly("worker", "worker", "server", "server");
  }
}
