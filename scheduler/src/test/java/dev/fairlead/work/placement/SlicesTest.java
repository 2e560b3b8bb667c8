package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * MIG slices on GPUs that are partitioned on demand and on nodes with existing slices, and fabrics.
 */
class SlicesTest {
  private final Scene scene = new Scene();

  private static GpuRequest slices(int count, String profile) {
    return new GpuRequest(GpuRequest.Kind.MIG, count, 0, 0, profile, List.of(), 0);
  }

  private JobBuilder asks(String name, int count, String profile) {
    return scene.job(name).gpu(slices(count, profile)).age(100 - scene.jobs.size());
  }

  private NodeBuilder cutting() {
    NodeBuilder nodes = scene.cluster("eu-1");
    scene.cuts("eu-1");
    return nodes;
  }

  private static GpuShare share(Scene.Planned plan, JobBuilder job) {
    return plan.places(job).getFirst().members().getFirst().gpus().getFirst();
  }

  @Test
  void sevenSmallSlicesFillAGpuAndAnEighthWaits() {
    cutting().nodes(1, 1, "H100");
    JobBuilder seven = asks("seven", 7, "1g.10gb");
    JobBuilder eighth = asks("eighth", 1, "1g.10gb");

    Scene.Planned plan = scene.plan();

    assertThat(share(plan, seven)).isEqualTo(new GpuShare(0, "eu-1-n001/0", 875, 0x7F));
    assertThat(plan.first(eighth).reason()).isEqualTo(Reason.CAPACITY);
  }

  /** Fails when a job for whole GPUs, or for shares, starts on GPUs that offer only slices. */
  @Test
  void gpusWithSlicesOfOneProfileAcceptOnlyThatProfile() {
    scene.cluster("eu-1").label(GpuOffer.LABEL, "slices-1g.10gb").nodes(1, 2, "H100");
    JobBuilder whole = scene.job("whole").gpu(GpuRequest.whole(1)).age(300);
    JobBuilder named = scene.job("named").gpu(GpuRequest.whole(1, "H100")).age(290);
    JobBuilder half = scene.job("half").gpu(GpuRequest.fraction(500)).age(280);
    JobBuilder other = asks("other", 1, "2g.20gb");
    JobBuilder slices = asks("slices", 8, "1g.10gb");

    Scene.Planned plan = scene.plan();

    assertThat(List.of(whole, named, half, other)).noneMatch(plan::starts);
    assertThat(plan.starts(slices)).isTrue();
    assertThat(share(plan, slices).milli()).isEqualTo(875);
  }

  /**
   * Fails when the first free place is taken: the small one at the start would break both halves.
   */
  @Test
  void aSmallSliceLeavesRoomForTheLargeOnes() {
    cutting().nodes(1, 1, "A100-80GB");
    JobBuilder small = asks("small", 1, "1g.10gb");
    JobBuilder four = asks("four", 1, "4g.40gb");
    JobBuilder two = asks("two", 1, "2g.20gb");

    Scene.Planned plan = scene.plan();

    assertThat(share(plan, small).slices()).isEqualTo(0x40);
    assertThat(share(plan, four).slices()).isEqualTo(0x0F);
    assertThat(share(plan, two).slices()).isEqualTo(0x30);
  }

  /**
   * 4g is only allowed at the start of a GPU, so two such slices need two GPUs although half of one
   * is free.
   */
  @Test
  void profilesUseOnlyTheirLegalStarts() {
    cutting().nodes(1, 1, "A100-40GB");
    JobBuilder first = asks("first", 1, "4g.20gb");
    JobBuilder second = asks("second", 1, "4g.20gb");
    JobBuilder three = asks("three", 1, "3g.20gb");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    assertThat(share(plan, three).slices()).isEqualTo(0xF0);
  }

  @Test
  void aGpuHasOneSetOfMediaEngines() {
    cutting().nodes(1, 1, "A30");
    JobBuilder first = asks("first", 1, "2g.12gb+me");
    JobBuilder second = asks("second", 1, "1g.6gb+me");
    JobBuilder without = asks("without", 1, "1g.6gb");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.starts(without)).isTrue();
  }

  @Test
  void wholeGpusFractionsAndSlicesShareOneLedger() {
    scene
        .cluster(
            "eu-1", dev.fairlead.fleet.cluster.ClusterState.ACTIVE, CapacityType.RESERVED, true)
        .nodes(1, 3, "H100");
    scene.cuts("eu-1");
    JobBuilder slice = asks("slice", 1, "1g.10gb");
    JobBuilder half = scene.job("half").gpu(GpuRequest.fraction(500)).age(90);
    JobBuilder whole = scene.job("whole").gpus(1).age(80);
    JobBuilder another = scene.job("another").gpus(1).age(70);
    JobBuilder rest = asks("rest", 6, "1g.10gb");

    Scene.Planned plan = scene.plan();

    List<Integer> devices =
        List.of(share(plan, slice).index(), share(plan, half).index(), share(plan, whole).index());
    assertThat(devices).doesNotHaveDuplicates();
    assertThat(plan.starts(another)).isFalse();
    assertThat(share(plan, rest).index()).isEqualTo(share(plan, slice).index());
  }

  /** Existing slices are a resource of the node, and its whole GPUs stay whole. */
  @Test
  void existingSlicesAreCounted() {
    scene.cluster("eu-1").offers("nvidia.com/mig-1g.10gb", 3).nodes(1, 1, "H100");
    JobBuilder two = asks("two", 2, "1g.10gb");
    JobBuilder more = asks("more", 2, "1g.10gb");
    JobBuilder whole = scene.job("whole").gpus(1);

    Scene.Planned plan = scene.plan();

    Member member = plan.places(two).getFirst().members().getFirst();
    assertThat(member.request().extended())
        .containsOnly(java.util.Map.entry("nvidia.com/mig-1g.10gb", 2L));
    assertThat(member.gpus()).isEmpty();
    assertThat(plan.first(more).message()).isEqualTo("needs 1 x 2 1g.10gb, room for 0 (eu-1)");
    assertThat(plan.starts(whole)).isTrue();
  }

  @Test
  void unofferedProfileNeverFits() {
    scene.cluster("eu-1").offers("nvidia.com/mig-1g.10gb.me", 3).nodes(1, 0, "H100");
    JobBuilder job = asks("job", 1, "2g.20gb");

    assertThat(scene.plan().first(job).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(scene.plan().first(job).message())
        .satisfies(reason("slices.node-mig-slices-there", "2g.20gb", "1g.10gb+me"));
  }

  @Test
  void clusterWithoutSlicesIsFilteredWithThatReason() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder job = asks("job", 1, "1g.10gb");

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("slices.eligible-cluster-gpus-mig"));
    assertThat(scene.plan().why(job).clusters().getFirst().filtered())
        .containsOnly(java.util.Map.entry("MIG", 2));
  }

  /** Fails when slices are not charged: quota of half a GPU holds four eighths. */
  @Test
  void slicesCountInQuotaByTheirShareOfAGpu() {
    cutting().nodes(1, 1, "H100");
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    scene.quotas.clear();
    scene.queue(
        "team",
        null,
        QueueSettings.DEFAULT,
        new QuotaLimit(flavor, ResourceNames.GPU, 500L, null, null));
    JobBuilder four = asks("four", 4, "1g.10gb");
    JobBuilder fifth = asks("fifth", 1, "1g.10gb");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(four)).isTrue();
    assertThat(plan.first(fifth).reason()).isEqualTo(Reason.QUOTA);
  }

  @Test
  void rdmaRequiresNodesWithAFabric() {
    scene.cluster("eu-1").nodes(1, 8, "H100").offers("rdma/hca", 1).nodes(1, 8, "H100");
    scene.fabric("eu-1", "rdma/hca");
    JobBuilder first = scene.job("first").gpus(1).rdma().age(100);
    JobBuilder second = scene.job("second").gpus(1).rdma();

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(first)).containsExactly("eu-1-n002");
    assertThat(plan.first(second).reason()).isEqualTo(Reason.CAPACITY);
    assertThat(plan.why(second).clusters().getFirst().exhausted())
        .containsOnly(java.util.Map.entry("FABRIC", 1));
  }

  @Test
  void rdmaNeverFitsWithoutAFabric() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gpus(1).rdma();

    assertThat(scene.plan().first(job).message()).satisfies(reason("slices.node-would-do-fabric"));
  }
}
