package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.node.NeighbourCounts;
import dev.fairlead.work.placement.ordering.History;
import dev.fairlead.work.placement.ordering.PendingJobCache;
import dev.fairlead.work.placement.ordering.PendingQueues;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Jobs that name other jobs by their labels: near them, or away from them. */
class NeighboursTest {
  private static final ProjectId OTHER = new ProjectId(new UUID(9, 3));
  private final Scene scene = new Scene();

  /** Two racks of two nodes: n001 and n002, n003 and n004. */
  private void racks() {
    NodeBuilder nodes = scene.cluster("eu-1");
    nodes.rack("r1").nodes(2, 8, "H100").rack("r2").nodes(2, 8, "H100");
  }

  private Plan later(World running, JobBuilder... jobs) {
    List<PendingJob> waiting = Arrays.stream(jobs).map(JobBuilder::pending).toList();
    return new SchedulingEngine().plan(new Snapshot(running.with(waiting), List.of(), 1_000_000));
  }

  @Test
  void jobAvoidsTheRackOfAnother() {
    racks();
    JobBuilder noisy = scene.job("noisy").gpus(1).labelled("app", "noisy").age(100);
    JobBuilder quiet = scene.job("quiet").gang(2).gpus(8).away("app", "noisy", "rack");

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(noisy)).containsExactly("eu-1-n001");
    assertThat(plan.nodes(quiet)).containsExactlyInAnyOrder("eu-1-n003", "eu-1-n004");
  }

  /** Fails when only the terms of the new job count, not the terms of running jobs. */
  @Test
  void matchingJobAvoidsTheRackOfAJobThatAvoidsIt() {
    racks();
    JobBuilder quiet = scene.job("quiet").gpus(1).away("app", "noisy", "rack").age(100);
    JobBuilder noisy = scene.job("noisy").gpus(1).labelled("app", "noisy").age(90);
    JobBuilder other = scene.job("other").gpus(1).labelled("app", "other").age(80);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(quiet)).containsExactly("eu-1-n001");
    assertThat(plan.nodes(noisy)).containsExactly("eu-1-n003");
    assertThat(plan.nodes(other)).containsExactly("eu-1-n001");
  }

  @Test
  void everyMemberOfAGangIsNearAMatchingJob() {
    racks();
    scene.job("cache").gpus(1).labelled("app", "cache");
    World running = RandomScene.started(scene.world());
    JobBuilder fits = scene.job("fits").gang(14).gpus(1).near("app", "cache", "rack").age(100);
    JobBuilder wide = scene.job("wide").gang(16).gpus(1).near("app", "cache", "rack").age(200);

    Plan plan = later(running, wide, fits);

    assertThat(hosts(plan, fits)).containsOnly("eu-1-n001", "eu-1-n002");
    assertThat(hosts(plan, wide)).isEmpty();
  }

  /** Fails when the cached nodes of a shape are used although another node has changed. */
  @Test
  void startExcludesOtherNodesOfItsRackForCachedShapes() {
    racks();
    scene.spreads("eu-1");
    JobBuilder one = scene.job("a").gpus(8).away("app", "noisy", "rack").age(100);
    JobBuilder noisy = scene.job("b").gpus(1).labelled("app", "noisy").age(90);
    JobBuilder two = scene.job("c").gpus(8).away("app", "noisy", "rack").age(80);
    JobBuilder three = scene.job("d").gpus(8).away("app", "noisy", "rack").age(70);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(one)).containsExactly("eu-1-n001");
    assertThat(plan.nodes(noisy)).containsExactly("eu-1-n003");
    assertThat(plan.nodes(two)).containsExactly("eu-1-n002");
    assertThat(plan.starts(three)).isFalse();
  }

  @Test
  void onlyJobsOfTheSameProjectMatch() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("noisy").gpus(1).project(OTHER).labelled("app", "noisy").age(100);
    JobBuilder quiet = scene.job("quiet").gpus(1).away("app", "noisy", "host");

    assertThat(scene.plan().starts(quiet)).isTrue();
  }

  /** Fails when a job that matches its own term waits for itself, or is the first twice. */
  @Test
  void firstJobMatchingItsAffinityTermStartsAndOthersJoinIt() {
    racks();
    JobBuilder first = scene.job("a").gpus(8).labelled("app", "ring").near("app", "ring", "rack");
    JobBuilder second = scene.job("b").gpus(8).labelled("app", "ring").near("app", "ring", "rack");
    JobBuilder third = scene.job("c").gpus(8).labelled("app", "ring").near("app", "ring", "rack");

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(first.age(100))).containsExactly("eu-1-n001");
    assertThat(plan.nodes(second.age(90))).containsExactly("eu-1-n002");
    assertThat(plan.starts(third)).isFalse();
    assertThat(plan.first(third).message())
        .satisfies(
            reason("neighbours.needs-cpu-one-node", 8, "H100", 1, "2Gi", 2, "app=ring", "eu-1"));
  }

  @Test
  void jobWithoutARunningMatchWaitsAndReportsIt() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder job = scene.job("job").cpu(1).near("app", "cache", "cluster");

    assertThat(scene.plan().first(job).message())
        .satisfies(
            reason("neighbours.needs-cpu-room-nodes", 1, 1, "2Gi", 0, 2, "app=cache", "eu-1"));
  }

  @Test
  void unknownLevelIsNamed() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder job = scene.job("job").cpu(1).away("app", "noisy", "rak");

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("neighbours.eligible-cluster-topology-level", "rak"));
  }

  /** Elements are separate jobs, so an array spreads. The members of one job do not spread. */
  @Test
  void arrayAvoidingItsLabelSpreadsOverNodesAndAGangDoesNot() {
    racks();
    JobBuilder array =
        scene.job("array").gpus(1).array(6).labelled("app", "web").away("app", "web", "host");
    JobBuilder gang =
        scene.job("gang").gang(4).gpus(1).labelled("app", "db").away("app", "db", "host");
    gang.thenRole("other").gpus(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(array)).hasSize(4);
    assertThat(plan.nodes(array)).doesNotHaveDuplicates();
    assertThat(plan.nodes(gang)).hasSize(5).containsOnly(plan.nodes(gang).getFirst());
  }

  @Test
  void explanationNamesTheJobThatExcludesNodes() {
    racks();
    scene.job("noisy-1").gang(2).gpus(8).labelled("app", "noisy").inOne("rack").age(100);
    scene.job("noisy-2").gpus(1).labelled("app", "noisy").age(90);
    scene.job("fill").gpus(7).age(80);
    World running = RandomScene.started(scene.world());
    JobBuilder quiet = scene.job("quiet").gpus(1).away("app", "noisy", "rack");

    Plan plan = later(running, quiet);

    assertThat(plan.explanations().values().iterator().next().blockers().getFirst().message())
        .satisfies(
            reason(
                "neighbours.needs-cpu-one-node-2",
                1,
                "H100",
                1,
                "2Gi",
                4,
                "app=noisy",
                "noisy-1",
                "eu-1"));
  }

  /** Fails when the text of a blocker grows with the terms of other jobs. */
  @Test
  void explanationNamesEightTermsAndCountsTheOtherNodes() {
    scene.cluster("eu-1").nodes(11, 8, "H100");
    JobBuilder open = scene.job("open").gpus(1).age(10);
    for (int i = 10; i < 21; i++) {
      scene.job("quiet-" + i).gpus(1).away("app-" + i, "web", "host").age(200 - i);
      open.labelled("app-" + i, "web");
    }
    scene.spreads("eu-1");
    World waiting = scene.world();
    List<PendingJob> others = new ArrayList<>(waiting.pending());
    others.removeIf(p -> p.job().name().equals("open"));
    World running = RandomScene.started(waiting.with(others));

    Plan plan = later(running, open);

    assertThat(plan.explanations().values().iterator().next().blockers().getFirst().message())
        .contains("with app-10=web ('quiet-10')", "with app-17=web", "; other terms close 3 nodes")
        .doesNotContain("app-18");
  }

  /** Fails when a project may cost a cycle as many counts as it submits terms. */
  @Test
  void affinityAboveTheMaximumOfTheProjectWaits() {
    scene.cluster("eu-1").nodes(20, 8, "H100");
    for (int i = 0; i < NeighbourCounts.MOST_TERMS; i++) {
      scene.job("quiet-" + i).gpus(1).away("app", "web-" + i, "host").age(200);
    }
    JobBuilder more = scene.job("more").gpus(1).away("app", "other", "host").age(10);
    JobBuilder known = scene.job("known").gpus(1).away("app", "web-7", "host").age(5);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(known)).hasSize(1);
    assertThat(plan.starts(more)).isFalse();
    assertThat(plan.first(more).message()).contains("128 different terms");
  }

  /** Fails when a term of any project costs the shapes of all waiting jobs. */
  @Test
  void termLeavesShapesOfUnmatchedJobsUnchanged() {
    racks();
    scene.job("job").gpus(1).labelled("app", "web").age(100);
    World then = scene.world();
    PendingQueues before = queues(then, PendingJobCache.NONE);

    PendingQueues unrelated =
        queues(and(then, scene.job("new").gpus(1).away("app", "noisy", "rack")), before.known());
    PendingQueues named =
        queues(and(then, scene.job("new").gpus(1).away("app", "web", "rack")), before.known());

    assertThat(first(unrelated)).isSameAs(first(before));
    assertThat(first(named)).isNotEqualTo(first(before));
    assertThat(first(named).gang().neighbours().matched()).hasSize(1);
    assertThat(first(queues(then, named.known()))).isEqualTo(first(before));
  }

  private static World and(World world, JobBuilder job) {
    List<PendingJob> all = new ArrayList<>(world.pending());
    all.add(job.pending());
    return world.with(all);
  }

  private static JobShape first(PendingQueues queues) {
    return Objects.requireNonNull(queues.all().iterator().next().head()).equivalenceClass().shape();
  }

  private static PendingQueues queues(World world, PendingJobCache before) {
    return new PendingQueues(
        world,
        new Admission(world.quotaNodes(), world.quotaUses(), world.asOf()),
        Fleet.of(world),
        new History(
            new QuotaTree(world.quotaNodes(), List.of()),
            world.pastUses(),
            world.live(),
            world.asOf()),
        before);
  }

  /** Fails when the free capacity of other nodes in the rack is counted before the eviction. */
  @Test
  void jobIsEvictedForTheRackThatItExcludes() {
    QuotaNodeId queue = scene.queue("team", null, QueueSettings.DEFAULT);
    scene.preempts(
        queue, PreemptionRules.WithinQueue.LOWER_PRIORITY, PreemptionRules.Reclaim.NEVER);
    scene.cluster("eu-1").rack("r1").nodes(2, 8, "H100");
    JobBuilder noisy = team(queue, "noisy", PriorityClass.LOW).gpus(1).labelled("app", "noisy");
    team(queue, "other", PriorityClass.LOW).gpus(1);
    World running = RandomScene.started(scene.world());
    JobBuilder quiet =
        team(queue, "quiet", PriorityClass.HIGH).gpus(8).away("app", "noisy", "rack");

    Plan plan = later(running, quiet);

    assertThat(plan.decisions())
        .filteredOn(Decision.Preempt.class::isInstance)
        .singleElement()
        .satisfies(d ->
            assertThat(((Decision.Preempt) d).victims())
                .extracting(Decision.Preempt.Eviction::job)
                .containsExactly(noisy.id()));
  }

  private JobBuilder team(QuotaNodeId queue, String name, PriorityClass priority) {
    return scene.job(name).queue("team", queue).priority(priority);
  }

  /** Fails when the members that run already count for their own job. */
  @Test
  void selfAvoidingElasticGangGrowsOnItsNode() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder first = scene.job("first").gpus(6).age(90);
    scene.job("job").elastic(1, 4).gpus(2).labelled("app", "a").away("app", "a", "host").age(60);
    Story story = new Story(scene);
    story.plan();

    Plan plan = story.pass(Duration.ofMinutes(30)).ends(first).look().plan();

    assertThat(plan.decisions())
        .filteredOn(Decision.Grow.class::isInstance)
        .singleElement()
        .satisfies(d -> assertThat(((Decision.Grow) d).members()).hasSize(3));
  }

  private static List<String> hosts(Plan plan, JobBuilder job) {
    return plan.decisions().stream()
        .filter(d -> d instanceof Decision.Place && d.job().equals(job.id()))
        .flatMap(d -> ((Decision.Place) d).members().stream())
        .map(member -> member.nodeName())
        .toList();
  }
}
