package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import dev.fairlead.work.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that share a node or a domain: classes, several roles, NUMA nodes. */
class CompanyTest {
  private final Scene scene = new Scene();

  @Test
  void jobAvoidingAClassSharesNoNodeWithIt() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder noisy = scene.job("noisy").gpus(1).antiAffinity("noisy").age(100);
    JobBuilder quiet = scene.job("quiet").gpus(1).antiAffinity(null, "noisy").age(90);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(noisy)).containsExactly("eu-1-n001");
    assertThat(plan.nodes(quiet)).containsExactly("eu-1-n002");
  }

  @Test
  void classIsNotPlacedNextToAJobThatAvoidsIt() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder quiet = scene.job("quiet").gpus(1).antiAffinity(null, "noisy").age(100);
    JobBuilder noisy = scene.job("noisy").gpus(1).antiAffinity("noisy").age(90);
    JobBuilder plain = scene.job("plain").gpus(1).age(80);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(quiet)).isTrue();
    assertThat(plan.starts(plain)).isTrue();
    assertThat(plan.first(noisy).reason()).isEqualTo(Reason.CAPACITY);
    assertThat(plan.why(noisy).clusters().getFirst().exhausted())
        .containsOnly(java.util.Map.entry("NEIGHBOURS", 1));
  }

  /** Fails when only jobs placed in the same cycle are checked. */
  @Test
  void runningJobCountsAsANeighbour() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("noisy").gpus(1).antiAffinity("noisy").age(100);
    World running = RandomScene.started(scene.world());
    JobBuilder quiet = scene.job("quiet").gpus(1).antiAffinity(null, "noisy");

    Plan plan =
        new SchedulingEngine()
            .plan(new Snapshot(running.with(List.of(quiet.pending())), List.of(), 1_000_000));

    assertThat(plan.decisions()).noneMatch(Decision.Place.class::isInstance);
  }

  @Test
  void jobAvoidingItsOwnClassToleratesItself() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gang(4).gpus(1).antiAffinity("alone", "alone").age(100);
    JobBuilder another = scene.job("another").gpus(1).antiAffinity("alone", "alone");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isTrue();
    assertThat(plan.starts(another)).isFalse();
  }

  /** Fails when each role is counted for itself. */
  @Test
  void spreadCountsTheMembersOfAllRoles() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder three = roles("three", 2, 1).spread(1, "host");
    JobBuilder two = roles("two", 1, 1).spread(1, "host");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(three)).isFalse();
    assertThat(plan.nodes(two)).containsExactlyInAnyOrder("eu-1-n001", "eu-1-n002");
  }

  @Test
  void segmentsApplyPerRoleAndASmallRoleStaysTogether() {
    NodeBuilder nodes = scene.cluster("eu-1");
    nodes.rack("r1").nodes(2, 8, "H100").rack("r2").nodes(2, 8, "H100");
    JobBuilder job = scene.job("job").gang(4).gpus(8).thenRole("head").cpu(1).segment(2, "rack");

    List<String> hosts = scene.plan().nodes(job);

    assertThat(hosts.subList(0, 4))
        .containsExactlyInAnyOrder("eu-1-n001", "eu-1-n002", "eu-1-n003", "eu-1-n004");
  }

  /** One rack of two is left: with single members it would be three. */
  @Test
  void anElasticGangGrowsByWholeSegments() {
    NodeBuilder nodes = scene.cluster("eu-1");
    nodes.rack("r1").nodes(2, 8, "H100").rack("r2").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").elastic(2, 6).gpus(8).segment(2, "rack");

    assertThat(scene.plan().nodes(job)).hasSize(2);
  }

  @Test
  void roleHasASeparateTopology() {
    NodeBuilder nodes = scene.cluster("eu-1");
    nodes.rack("r1").nodes(1, 8, "H100").rack("r2").nodes(2, 8, "H100");
    JobBuilder job =
        scene.job("job").gang(1).gpus(8).thenRole("near").gang(2).gpus(8).roleTopology("rack");

    List<String> hosts = scene.plan().nodes(job);

    assertThat(hosts.subList(1, 3)).containsExactlyInAnyOrder("eu-1-n002", "eu-1-n003");
  }

  /** Two NUMA nodes of four GPUs, three free on each: no NUMA node has four free GPUs. */
  @Test
  void requiredNumaAllocatesGpusFromOneNumaNode() {
    scene.cluster("eu-1").label("topology.fairlead.dev/numa-nodes", "2").nodes(1, 8, "H100");
    JobBuilder first = scene.job("first").gpus(3).numa(Numa.REQUIRED).age(100);
    JobBuilder second = scene.job("second").gpus(3).numa(Numa.REQUIRED).age(90);
    JobBuilder third = scene.job("third").gpus(2).numa(Numa.REQUIRED).age(80);
    JobBuilder any = scene.job("any").gpus(2).numa(Numa.PREFERRED).age(70);

    Scene.Planned plan = scene.plan();

    assertThat(devices(plan, first)).containsExactly(0, 1, 2);
    assertThat(devices(plan, second)).containsExactly(4, 5, 6);
    assertThat(plan.starts(third)).isFalse();
    assertThat(devices(plan, any)).containsExactly(3, 7);
  }

  @Test
  void requiredNumaNeverFitsWithoutAlignmentReports() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gpus(2).numa(Numa.REQUIRED);

    assertThat(scene.plan().first(job).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(scene.plan().why(job).clusters().getFirst().filtered())
        .containsOnly(java.util.Map.entry("NUMA", 1));
  }

  private JobBuilder roles(String name, int workers, int others) {
    return scene.job(name).gang(workers).gpus(1).thenRole("other").gang(others).gpus(1);
  }

  private static List<Integer> devices(Scene.Planned plan, JobBuilder job) {
    return plan.places(job).getFirst().members().getFirst().gpus().stream()
        .map(GpuShare::index)
        .toList();
  }
}
