package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.supply.SuppliedPlan;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job runs on nodes that reach the disks of its volumes. */
class VolumeNodesTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private final Scene scene = new Scene();

  /** Two zones. Packing starts with the first. */
  @BeforeEach
  void twoZones() {
    NodeBuilder cluster = scene.cluster("eu-1");
    cluster.label(ZONE, "a").nodes(2, 8, "H100");
    cluster.label(ZONE, "b").nodes(2, 8, "H100");
  }

  private static SortedMap<String, String> zone(String zone) {
    return new TreeMap<>(Map.of(ZONE, zone));
  }

  private Volume placed(String name, String cluster) {
    ClusterId id =
        scene.clusters.stream()
            .filter(c -> c.name().equals(cluster))
            .findFirst()
            .orElseThrow()
            .id();
    return Volume.claimed(
            new UUID(8, scene.volumes.size() + 1),
            Scene.TENANT,
            new ProjectId(new UUID(9, 2)),
            name,
            new Volume.Request(100, null, Volume.Access.READ_WRITE_MANY),
            true,
            new Volume.Made(Scene.NOW, "ana"))
        .placed(id);
  }

  private void bound(String name, String cluster, SortedMap<String, String> nodeLabels) {
    scene.volumes.add(
        placed(name, cluster)
            .provisioned("uid", Scene.NOW)
            .bound(Scene.NOW)
            .reachedWith(nodeLabels));
  }

  private JobBuilder job(String... volumes) {
    JobBuilder job = scene.job("train").gpus(8, "H100");
    for (String volume : volumes) {
      job.volume(volume);
    }
    return job;
  }

  /** Fails when a pod is sent to a node whose kubelet waits for a disk of another zone forever. */
  @Test
  void allMembersOfAGangRunWhereTheDiskIs() {
    bound("training", "eu-1", zone("b"));
    JobBuilder gang = job("training").gang(2);

    assertThat(scene.plan().nodes(gang)).containsExactlyInAnyOrder("eu-1-n003", "eu-1-n004");
  }

  /** A claim that no pod has bound yet is bound for the node that is chosen. */
  @Test
  void sharedAndUnboundVolumesPreferNoNode() {
    bound("shared", "eu-1", Collections.emptySortedMap());
    scene.volumes.add(placed("new", "eu-1").provisioned("uid", Scene.NOW));
    JobBuilder gang = job("shared", "new").gang(4);

    assertThat(scene.plan().nodes(gang)).hasSize(4);
  }

  /** Fails when a job holds GPUs for a claim that its cluster does not show, or stops others. */
  @Test
  void aJobWithAMissingClaimWaitsAndOtherJobsStart() {
    bound("training", "eu-1", Collections.emptySortedMap());
    scene.volumes.set(0, scene.volumes.getFirst().withMissingSince(Scene.NOW));
    JobBuilder waits = job("training");
    JobBuilder other = scene.job("other").gpus(8, "H100");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(waits)).isFalse();
    assertThat(plan.starts(other)).isTrue();
    assertThat(plan.why(waits).blockers())
        .extracting(Blocker::reason)
        .containsExactly(Reason.STORAGE);
    assertThat(plan.why(waits).blockers())
        .extracting(Blocker::message)
        .anySatisfy(reason("volume-nodes.training-where-claim-missing", "eu-1"));
  }

  /**
   * Fails when a job uses free nodes that cannot reach its data, or does not report the nodes for
   * which it waits.
   */
  @Test
  void jobWaitsIfTheNodesOfItsDiskAreFull() {
    scene
        .cluster("us-1")
        .label(ZONE, "c")
        .used(8)
        .nodes(2, 8, "H100")
        .used(0)
        .label(ZONE, "d")
        .nodes(2, 8, "H100");
    bound("training", "us-1", zone("c"));
    JobBuilder job = job("training");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.why(job).blockers())
        .extracting(Blocker::reason)
        .contains(Reason.CAPACITY, Reason.STORAGE);
    assertThat(plan.why(job).blockers())
        .extracting(Blocker::message)
        .anySatisfy(
            reason("volume-nodes.training-reached-nodes", "us-1", "topology.kubernetes.io/zone=c"));
  }

  @Test
  void gangTooLargeForTheNodesOfItsDiskReportsTheirFigures() {
    bound("training", "eu-1", zone("b"));
    JobBuilder gang = job("training").gang(3);

    Blocker first = scene.plan().first(gang);

    assertThat(first.reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(first.message())
        .satisfies(
            reason(
                "volume-nodes.needs-one-cluster-largest",
                24,
                "H100",
                16,
                "eu-1",
                "topology.kubernetes.io/zone=b"));
  }

  /** A lost node: the job waits, and restarts by itself when the node returns. */
  @Test
  void jobWithAnUnreachableDiskWaitsAndReportsIt() {
    bound("training", "eu-1", zone("gone"));
    JobBuilder job = job("training");

    Blocker first = scene.plan().first(job);

    assertThat(first.message())
        .satisfies(
            reason(
                "volume-nodes.eligible-nodes-none-labels",
                4,
                "topology.kubernetes.io/zone=gone",
                "eu-1",
                "topology.kubernetes.io/zone=gone"));
    assertThat(first.action()).satisfies(reason("volume-nodes.bring-node-back-reaches"));
    assertThat(scene.plan().why(job).nearMisses()).isEmpty();

    scene.cluster("eu-2");
    scene.volumes.clear();
    bound("training", "eu-1", zone("a"));
    assertThat(scene.plan().starts(job)).isTrue();
  }

  /** Fails when one of two volumes is ignored. */
  @Test
  void volumesWithoutACommonNodeBlockTheJobAndAreNamed() {
    bound("training", "eu-1", zone("a"));
    bound("images", "eu-1", zone("b"));
    JobBuilder job = job("training", "images");

    assertThat(scene.plan().first(job).message())
        .satisfies(
            reason(
                "volume-nodes.node-reaches-all-volumes",
                "eu-1",
                "topology.kubernetes.io/zone=b",
                "eu-1",
                "topology.kubernetes.io/zone=a"));
  }

  @Test
  void jobLabelThatExcludesItsDiskIsNamedWithIt() {
    bound("training", "eu-1", zone("a"));
    JobBuilder job = job("training").label(ZONE, "b");

    assertThat(scene.plan().first(job).message())
        .satisfies(
            reason("volume-nodes.node-reaches-all-volumes-2", "topology.kubernetes.io/zone=b"));
  }

  @Test
  void volumesOnTwoClustersAreReported() {
    scene.cluster("us-1").nodes(1, 8, "H100");
    bound("training", "eu-1", zone("a"));
    bound("images", "us-1", zone("b"));
    JobBuilder job = job("training", "images");

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("volume-nodes.eligible-cluster-all-volumes", "us-1"));
  }

  /** A world is generated again when it is built from another. */
  @Test
  void derivedWorldPrefersTheSameNodes() {
    bound("training", "eu-1", zone("a"));
    bound("images", "eu-1", zone("b"));
    job("training", "images");
    job("images");

    assertThat(scene.world().toBuilder().build().pending()).isEqualTo(scene.world().pending());
  }

  /** Fails when the reason is missing why no node is requested for a pool without stock. */
  @Test
  void poolWithoutASupplyZoneIsNamed() {
    scene.cluster("burst").nodes(1, 1, "A100");
    bound("training", "burst", zone("b"));
    JobBuilder job = job("training");
    offer(new TreeMap<>());

    assertThat(SuppliedPlan.wanted(scene.world(), Snapshot.WORK_BUDGET)).isEmpty();
    assertThat(scene.plan().first(job).action())
        .satisfies(reason("volume-nodes.administrator-states-labels-supply", "burst"));

    scene.offers.clear();
    offer(zone("a"));
    assertThat(scene.plan().first(job).action()).contains("supply of pool burst");

    scene.offers.clear();
    offer(zone("b"));
    assertThat(SuppliedPlan.wanted(scene.world(), Snapshot.WORK_BUDGET)).hasSize(1);
    assertThat(scene.plan().first(job).reason()).isNotEqualTo(Reason.NEVER_FITS);
  }

  private void offer(SortedMap<String, String> labels) {
    NodeKind kind =
        new NodeKind(
            "H100",
            8,
            80_000,
            CapacityType.RESERVED,
            ResourceVector.of(96_000, 1_000_000, 8_000, 110),
            labels);
    scene.offers.add(
        new SupplyOffer(
            new PoolId(new UUID(3, 1)),
            new NodePool("burst", null, Spares.NONE, PoolWindows.NONE),
            scene.clusters.getLast().id(),
            kind,
            4,
            0,
            null,
            null));
  }
}
