package dev.fairlead.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeId;
import dev.fairlead.explanation.Explanation;
import dev.fairlead.job.JobId;
import dev.fairlead.job.Member;
import dev.fairlead.job.RoleSpec;
import dev.fairlead.job.TopologySpec;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.quota.QuotaUse;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The laws, each on 200 worlds drawn from seeds. A failure names its seed. */
class LawsTest {
  private static final long BUDGET = 100_000_000;

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("fairlead.laws.seeds", 200));
  }

  private static Plan plan(World world) {
    return new SchedulingEngine().plan(new Snapshot(world, List.of(), BUDGET));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theOrderOfTheInputDoesNotMatter(long seed) {
    World world = RandomScene.of(seed).world();
    Random random = new Random(seed);

    assertThat(plan(shuffled(world, random))).isEqualTo(plan(world));
  }

  /** Fails when Admission.admits or Admission.use is left out. */
  @ParameterizedTest
  @MethodSource("seeds")
  void noNodeNoGpuAndNoQuotaIsExceeded(long seed) {
    World world = RandomScene.of(seed).world();
    World after = After.of(world, plan(world));

    for (Node node : after.nodes()) {
      boolean untouched = world.nodes().contains(node);
      assertThat(untouched || nothingNegative(node)).as(node.name()).isTrue();
      assertThat(node.gpus()).allMatch(g -> g.allocatedMilli() <= Gpu.WHOLE_MILLI);
    }
    QuotaTree tree = new QuotaTree(after.quotaNodes(), after.quotaUses());
    for (QuotaUse use : after.quotaUses()) {
      assertThat(tree.available(use.node(), use.cell()))
          .as(use.toString())
          .isGreaterThanOrEqualTo(0);
    }
  }

  private static boolean nothingNegative(Node node) {
    return node.free().cpuMilli() >= 0
        && node.free().memoryMiB() >= 0
        && node.free().gpuMilli() >= 0
        && node.free().pods() >= 0;
  }

  /** Fails when GangPlacer does not undo a scope that held only some members. */
  @ParameterizedTest
  @MethodSource("seeds")
  void noGangStartsInPart(long seed) {
    World world = RandomScene.of(seed).world();
    Map<JobId, PendingJob> jobs = new TreeMap<>();
    world.pending().forEach(p -> jobs.put(p.job().id(), p));

    for (Decision decision : plan(world).decisions()) {
      if (decision instanceof Decision.Place place) {
        for (RoleSpec role : jobs.get(place.job()).job().spec().roles()) {
          List<Member> members =
              place.members().stream().filter(m -> m.role().equals(role.name())).toList();
          assertThat(members).hasSizeBetween(role.minCount(), role.count());
          assertThat(members).extracting(Member::index).isSorted().doesNotHaveDuplicates();
        }
      }
    }
  }

  /** Fails when Scope offers the cluster for a required level. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aRequiredDomainHoldsAllMembers(long seed) {
    World world = RandomScene.of(seed).world();
    Map<JobId, PendingJob> jobs = new TreeMap<>();
    world.pending().forEach(p -> jobs.put(p.job().id(), p));

    for (Decision.Place place : new Scene.Planned(world, plan(world)).places()) {
      var topology = jobs.get(place.job()).job().spec().placement().topology();
      if (topology != null && topology.mode() == TopologySpec.Mode.REQUIRED) {
        int upTo = Scene.LEVELS.indexOf(topology.level()) + 1;
        assertThat(place.members().stream().map(m -> path(world, m, upTo)).distinct()).hasSize(1);
      }
    }
  }

  private static String path(World world, Member member, int upTo) {
    Node node =
        world.nodes().stream().filter(n -> n.id().equals(member.node())).findFirst().orElseThrow();
    return Scene.LEVELS.subList(0, upTo).stream()
        .map(l -> node.topology().get(l))
        .toList()
        .toString();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void planningAgainGivesNothingMore(long seed) {
    World world = RandomScene.of(seed).world();
    World after = After.of(world, plan(world));

    assertThat(new Scene.Planned(after, plan(after)).places()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everyJobStartsOrIsExplained(long seed) {
    World world = RandomScene.of(seed).world();
    Plan plan = plan(world);
    Map<JobId, Integer> open = new TreeMap<>();
    world.pending().forEach(p -> open.put(p.job().id(), p.offers().size()));
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> open.merge(place.job(), -1, Integer::sum);
        case Decision.Hold hold -> {
          assertThat(plan.explanations()).containsKey(hold.classKey());
          open.put(hold.job(), 0);
        }
        case Decision.Preempt preempt -> {}
        case Decision.Reserve reserve -> {}
        case Decision.Release release -> {}
      }
    }
    assertThat(open.values()).containsOnly(0);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void moreRoomNeverHarmsALoneJob(long seed) {
    Scene scene = RandomScene.of(seed, 1);
    World world = scene.world();
    boolean before = new Scene.Planned(world, plan(world)).places().isEmpty();
    Random random = new Random(seed);
    Scene more = RandomScene.of(seed + 1_000_000, 1);
    Node extra = more.nodes.get(random.nextInt(more.nodes.size()));
    List<Node> nodes = new ArrayList<>(world.nodes());
    nodes.add(inCluster(extra, scene.clusters.getFirst().id()));
    World bigger =
        new World(
            world.asOf(),
            world.clusters(),
            nodes,
            raised(world.quotaNodes()),
            world.quotaUses(),
            world.pending(),
            world.live());

    boolean after = new Scene.Planned(bigger, plan(bigger)).places().isEmpty();

    assertThat(!before && after).isFalse();
  }

  /** Fails when Trial tries a change without quota. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aNearMissThatIsFollowedMakesTheJobStart(long seed) {
    World world = RandomScene.of(seed, 15).world();
    World after = After.of(world, plan(world));
    Scene.Planned again = new Scene.Planned(after, plan(after));

    for (PendingJob pending : after.pending()) {
      for (var miss : explanation(again.plan(), pending.job().id()).nearMisses()) {
        World changed = Following.of(after, pending, miss);
        assertThat(new Scene.Planned(changed, plan(changed)).places())
            .as("%s of %s", miss, pending.job().name())
            .anyMatch(p -> p.job().equals(pending.job().id()));
      }
    }
  }

  private static Explanation explanation(Plan plan, JobId job) {
    return plan.decisions().stream()
        .filter(d -> d instanceof Decision.Hold && d.job().equals(job))
        .map(d -> plan.explanations().get(((Decision.Hold) d).classKey()))
        .findFirst()
        .orElseThrow();
  }

  private static List<QuotaNode> raised(List<QuotaNode> nodes) {
    return nodes.stream()
        .map(n ->
            new QuotaNode(
                n.id(),
                n.tenant(),
                n.name(),
                n.parent(),
                n.depth(),
                n.weight(),
                n.limits().stream()
                    .map(l ->
                        new QuotaLimit(
                            l.flavor(),
                            l.resource(),
                            l.nominal() == null ? null : l.nominal() + 1000,
                            l.borrowingLimit(),
                            l.lendingLimit()))
                    .toList(),
                n.preemption(),
                n.queue(),
                n.version()))
        .toList();
  }

  private static Node inCluster(Node n, ClusterId cluster) {
    return new Node(
        new NodeId(new UUID(7, 7)),
        cluster,
        "extra",
        n.state(),
        n.gpuModel(),
        n.gpuMemoryMiB(),
        n.allocatable(),
        n.allocated(),
        n.foreign(),
        n.labels(),
        n.taints(),
        n.topology(),
        n.bootId(),
        n.gpus(),
        n.version());
  }

  private static World shuffled(World world, Random random) {
    return new World(
        world.asOf(),
        mixed(world.clusters(), random),
        mixed(world.nodes(), random),
        mixed(world.quotaNodes(), random),
        mixed(world.quotaUses(), random),
        mixed(world.pending(), random),
        mixed(world.live(), random));
  }

  private static <T> List<T> mixed(List<T> list, Random random) {
    List<T> mixed = new ArrayList<>(list);
    Collections.shuffle(mixed, random);
    return mixed;
  }
}
