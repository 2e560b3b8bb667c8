package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.failover.LostCluster;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.FailoverTest;
import dev.fairlead.work.world.FailoverTest.Outcome;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The effect on the jobs of a cluster that is lost. */
class LostClusterTest {
  private static final Money CHEAP = new Money(1_000_000, "USD");
  private static final Money DEAR = new Money(4_000_000, "USD");
  private final Scene scene = new Scene();
  private int made;

  private JobBuilder job(String name, int gpus, PriorityClass priority, QuotaNodeId queue) {
    return new JobBuilder(name, ++made, queue).gpus(gpus).queue("team", queue).priority(priority);
  }

  private JobBuilder job(String name, int gpus) {
    return job(name, gpus, PriorityClass.NORMAL, scene.quotas.getFirst().id());
  }

  private Story running(JobBuilder... jobs) {
    Story story = new Story(scene).submit(jobs);
    story.plan();
    return story;
  }

  private FailoverTest without(Story story, String name) {
    Cluster cluster =
        scene.clusters.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    return LostCluster.failoverTest(joined(story.world()), cluster, Snapshot.WORK_BUDGET);
  }

  /** With clusters that were registered later. */
  private World joined(World world) {
    SortedSet<NodeId> known = new TreeSet<>();
    List<Node> nodes = new ArrayList<>(world.nodes());
    nodes.forEach(node -> known.add(node.id()));
    scene.nodes.stream().filter(node -> !known.contains(node.id())).forEach(nodes::add);
    return world.toBuilder()
        .clusters(scene.clusters)
        .nodes(nodes)
        .prices(scene.world().prices())
        .build();
  }

  @Test
  void jobMovesToAnotherClusterAndItsOwnerSeesTheCost() {
    scene.cluster("cheap").nodes(1, 8, "H100");
    scene.costs("cheap", "H100", CapacityType.RESERVED, CHEAP);
    Story story = running(job("train", 8));
    scene.cluster("dear", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(1, 8, "H100");
    scene.costs("dear", "H100", CapacityType.ON_DEMAND, DEAR);

    FailoverTest test = without(story, "cheap");

    assertThat(test.losses()).hasSize(1);
    FailoverTest.LostAttempt loss = test.losses().getFirst();
    assertThat(loss.gpuMilli()).isEqualTo(8_000);
    assertThat(loss.quote().perHour()).isEqualTo(new Money(8_000_000, "USD"));
    assertThat(loss.outcome())
        .asInstanceOf(type(Outcome.Moves.class))
        .satisfies(
            moves -> assertThat(moves.quote().perHour()).isEqualTo(new Money(32_000_000, "USD")));
  }

  /** Fails when the quota of lost attempts stays in use: the job would wait for itself. */
  @Test
  void lostAttemptHoldsNoQuota() {
    QuotaNodeId team =
        scene.queue(
            "team",
            null,
            QueueSettings.DEFAULT,
            new QuotaLimit(new Flavor("H100", CapacityType.RESERVED), "gpu", 8_000L, 0L, null));
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.cluster("eu-2").nodes(1, 8, "H100");
    Story story = running(job("train", 8, PriorityClass.NORMAL, team));
    String home = cluster(story);

    assertThat(without(story, home).losses().getFirst().outcome())
        .isInstanceOf(Outcome.Moves.class);
    assertThat(without(story, home.equals("eu-1") ? "eu-2" : "eu-1").losses()).isEmpty();
  }

  private String cluster(Story story) {
    return scene.clusters.stream()
        .filter(c -> c.id().equals(story.world().live().getFirst().attempt().cluster()))
        .findFirst()
        .orElseThrow()
        .name();
  }

  @Test
  void jobWithoutCapacityElsewhereWaitsAndReportsWhy() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    Story story = running(job("train", 8));

    assertThat(without(story, "eu-1").losses().getFirst().outcome())
        .asInstanceOf(type(Outcome.Waits.class))
        .extracting(waits -> waits.why().first().reason())
        .isEqualTo(Reason.CLUSTER_UNAVAILABLE);
  }

  /** Fails when the damage is reported only for the lost cluster. */
  @Test
  void victimsOnOtherClustersAreCounted() {
    QuotaNodeId team = scene.queue("team", null, QueueSettings.DEFAULT);
    scene.preempts(team, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.cluster("eu-2").nodes(1, 8, "H100");
    Story story =
        running(job("high", 8, PriorityClass.HIGH, team), job("low", 8, PriorityClass.LOW, team));
    assertThat(story.world().live()).hasSize(2);

    FailoverTest test = without(story, cluster(story));

    assertThat(test.losses().getFirst().outcome())
        .asInstanceOf(type(Outcome.Evicts.class))
        .extracting(Outcome.Evicts::attempts)
        .isEqualTo(1);
    assertThat(test.evicted()).isEqualTo(new FailoverTest.Evicted(1, 8_000));
  }

  /** Fails when jobs that have not started are omitted from the damage. */
  @Test
  void jobThatCouldStartOnlyWithTheLostClusterIsCountedAsDelayed() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    Story story = new Story(scene).submit(job("next", 8));

    assertThat(without(story, "eu-1").delayed()).isEqualTo(1);
    assertThat(without(story, "eu-1").losses()).isEmpty();
  }
}
