package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Pools of nodes, and nodes of several capacity types on one cluster. */
class PoolTest {
  private static final TenantId OTHER = new TenantId(new UUID(9, 99));
  private final Scene scene = new Scene();

  /** Fails when a job may use nodes of another tenant's pool. */
  @Test
  void nodesOfAForeignTenantPoolAcceptNothing() {
    scene.cluster("eu-1").pool("theirs", OTHER).nodes(4, 8, "H100");
    JobBuilder job = scene.job("a").gpus(8);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.first(job).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.why(job).toString()).doesNotContain("theirs");
  }

  /** From 13:00 to 16:00 UTC: the scene begins at noon. */
  private static PoolWindows afternoon(LeftoverPolicy leftoverPolicy) {
    RecurringWindow window =
        RecurringWindow.of(
            Cron.parse("0 13 * * *"), Duration.ofHours(3), RecurringWindow.zone("UTC"));
    return new PoolWindows(List.of(window), Duration.ZERO, leftoverPolicy, Duration.ZERO);
  }

  /** Fails when windows are ignored, or the passing of time does not open them. */
  @Test
  void poolAcceptsWorkOnlyInItsWindows() {
    scene
        .cluster("eu-1")
        .pool("p", null)
        .windows(afternoon(LeftoverPolicy.EVICT))
        .nodes(1, 8, "H100");
    JobBuilder job = scene.job("a").gpus(8);
    Story story = new Story(scene);

    Scene.Planned closed = story.plan();
    assertThat(closed.starts(job)).isFalse();
    assertThat(closed.first(job).reason()).isEqualTo(Reason.WINDOW_CLOSED);
    assertThat(closed.first(job).message())
        .satisfies(reason("pool.waits-window-pool-opens", "p", "2026-03-01 13:00 UTC"));
    assertThat(closed.first(job).numbers())
        .containsEntry("opensAtEpochSeconds", Scene.NOW.plusSeconds(3600).getEpochSecond());
    assertThat(closed.why(job).nearMisses()).isEmpty();

    assertThat(story.pass(Duration.ofHours(1)).plan().starts(job)).isTrue();
  }

  /** Fails when a plan omits nodes whose window is closed. */
  @Test
  void closedPoolIsACandidateWithItsNextOpening() {
    scene
        .cluster("eu-1")
        .nodes(1, 8, "H100")
        .pool("p", null)
        .windows(afternoon(LeftoverPolicy.EVICT))
        .nodes(1, 8, "H100");
    JobBuilder job = scene.job("a").gpus(8);

    Forecast forecast =
        Forecaster.of(
            new Snapshot(scene.world(), List.of(), Snapshot.WORK_BUDGET), job.pending().job());

    assertThat(forecast.candidates())
        .extracting(
            c -> String.valueOf(c.pool()),
            c -> c.blockers().stream().map(Blocker::message).toList())
        .containsExactly(
            tuple("null", List.of()),
            tuple(
                "p",
                List.of("waits for the window of pool p, which opens at 2026-03-01 13:00 UTC")));
  }

  /** Fails when a job that must not be evicted starts in a window that evicts it. */
  @Test
  void nonPreemptibleJobStartsOnlyIfItEndsInTheWindow() {
    scene
        .cluster("eu-1")
        .pool("p", null)
        .windows(afternoon(LeftoverPolicy.EVICT))
        .nodes(3, 8, "H100");
    JobBuilder fits =
        scene.job("fits").gpus(8).priority(PriorityClass.HIGH).maxRuntime(Duration.ofHours(3));
    JobBuilder longer =
        scene.job("longer").gpus(8).priority(PriorityClass.HIGH).maxRuntime(Duration.ofHours(4));
    JobBuilder evicted = scene.job("evicted").gpus(8).maxRuntime(Duration.ofHours(4));

    Scene.Planned plan = new Story(scene).pass(Duration.ofHours(1)).plan();

    assertThat(plan.starts(fits)).isTrue();
    assertThat(plan.starts(longer)).isFalse();
    assertThat(plan.starts(evicted)).isTrue();
    assertThat(plan.first(longer).message())
        .satisfies(reason("pool.window-pool-closes-utc", "p", "2026-03-01 16:00 UTC"));
  }

  /** Fails when a closed pool prevents a job from using other nodes. */
  @Test
  void nodesOutsideOfThePoolAreUsedMeanwhile() {
    scene
        .cluster("eu-1")
        .nodes(1, 8, "H100")
        .pool("p", null)
        .windows(afternoon(LeftoverPolicy.FINISH))
        .nodes(1, 8, "H100");
    JobBuilder first = scene.job("a").gpus(8);
    JobBuilder second = scene.job("b").gpus(8).age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(first)).containsExactly("eu-1-n001");
    assertThat(plan.starts(second)).isFalse();
  }

  /** Fails when a tenant can read the size, number and end of reservations of other tenants. */
  @Test
  void capacityReservedForOtherTenantsIsReportedWithoutFigures() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder left = scene.job("left").gpus(8, "H100");
    scene.job("right").gpus(4, "H100");
    QuotaNodeId queue = scene.quotas.getFirst().id();
    JobBuilder wide = new JobBuilder("wide", 10, queue).tenant(OTHER).gang(2).gpus(8, "H100");
    JobBuilder small = new JobBuilder("small", 11, queue).gpus(4, "H100").age(0);
    Story story = new Story(scene);
    assertThat(story.plan().starts(left)).isTrue();
    story.submit(wide).plan();
    Scene.Planned plan = story.pass(Duration.ofMinutes(61)).submit(small).plan();

    assertThat(story.reservations()).extracting(Reservation::job).containsExactly(wide.id());
    Blocker told = plan.first(small);
    assertThat(told.message()).satisfies(reason("pool.would-start-but-capacity"));
    assertThat(told.numbers()).isEmpty();
  }

  /**
   * Fails when the nodes of the tenant's own pool are not preferred: other tenants could not use
   * them.
   */
  @Test
  void nodesOfTheTenantPoolAreUsedFirst() {
    scene.cluster("eu-1").nodes(1, 8, "H100").pool("ours", Scene.TENANT).nodes(1, 8, "H100");
    JobBuilder job = scene.job("a").gpus(8);

    assertThat(scene.plan().nodes(job)).containsExactly("eu-1-n002");
  }

  /** Fails when placement.pools does not narrow the nodes, or its order does not count. */
  @Test
  void jobRunsOnlyInItsListedPoolsInOrder() {
    scene
        .cluster("eu-1")
        .nodes(2, 8, "H100")
        .pool("a", null)
        .nodes(1, 8, "H100")
        .pool("b", null)
        .nodes(1, 8, "H100");
    JobBuilder first = scene.job("first").gpus(8).pools("b", "a").age(30);
    JobBuilder second = scene.job("second").gpus(8).pools("b", "a").age(20);
    JobBuilder third = scene.job("third").gpus(8).pools("b", "a").age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(first)).containsExactly("eu-1-n004");
    assertThat(plan.nodes(second)).containsExactly("eu-1-n003");
    assertThat(plan.starts(third)).isFalse();
    assertThat(plan.first(third).message()).contains("(eu-1, pool ");
    assertThat(plan.why(third).clusters())
        .extracting(ClusterVerdict::pool)
        .containsExactly("a", "b");
    assertThat(plan.why(third).nearMisses())
        .contains(new NearMiss("placement.pools", "b,a", "", "starts now on eu-1"));
  }

  /** Fails when a gang spans pools. */
  @Test
  void aGangRunsInsideOnePool() {
    scene.cluster("eu-1").nodes(2, 8, "H100").pool("a", null).nodes(2, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(3).gpus(8);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(gang)).isFalse();
    assertThat(plan.first(gang).message())
        .satisfies(reason("pool.needs-one-pool-capacity", 24, "H100", 16));
  }

  @Test
  void poolWithoutNodesIsNamedAsTheReason() {
    scene
        .cluster("eu-1")
        .pool("a", null)
        .nodes(1, 8, "H100")
        .pool("theirs", OTHER)
        .nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gpus(8).pools("empty", "theirs");

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("pool.eligible-node-pool-empty", "empty", "theirs"));
  }

  /** A pool reports nothing about nodes that its cluster has not reported yet. */
  @Test
  void clusterWithoutANodeReportLeavesAPoolOpen() {
    scene.cluster("eu-1");
    JobBuilder job = scene.job("job").gpus(8).pools("a");

    assertThat(scene.plan().first(job).reason()).isNotEqualTo(Reason.NEVER_FITS);
  }

  /** Fails when the capacity type of a node's labels does not count. */
  @Test
  void reservedNodesOfAClusterPrecedeItsOnDemandOnes() {
    scene
        .cluster("eu-1", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false)
        .nodes(1, 8, "H100")
        .label("karpenter.sh/capacity-type", "reserved")
        .nodes(1, 8, "H100");
    JobBuilder first = scene.job("first").gpus(8).age(20);
    JobBuilder second = scene.job("second").gpus(8).age(10);
    JobBuilder third =
        scene.job("third").gpus(8).age(5).waiting(CapacityType.RESERVED, Duration.ofHours(1));

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(first).getFirst().members())
        .extracting(Member::flavor)
        .containsExactly(new Flavor("H100", CapacityType.RESERVED));
    assertThat(plan.nodes(first)).containsExactly("eu-1-n002");
    assertThat(plan.places(second).getFirst().members())
        .extracting(Member::flavor)
        .containsExactly(new Flavor("H100", CapacityType.ON_DEMAND));
    assertThat(plan.starts(third)).isFalse();
    assertThat(plan.why(third).clusters())
        .extracting(verdict -> verdict.flavor().text())
        .containsExactly("H100/RESERVED", "H100/ON_DEMAND");
  }

  /** Fails when a spot node is used for a job that does not permit spot capacity. */
  @Test
  void spotNodeOfAReservedClusterAcceptsOnlySpotTolerantJobs() {
    scene.cluster("eu-1").label("cloud.google.com/gke-spot", "true").nodes(1, 8, "H100");
    JobBuilder firm = scene.job("firm").gpus(8).age(10);
    JobBuilder any = scene.job("any").gpus(4).capacity(CapacityType.SPOT);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(firm)).isFalse();
    assertThat(plan.starts(any)).isTrue();
  }
}
