package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The order of jobs, and the jobs that quota permits. */
class OrderTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private final Scene scene = new Scene();

  /** Unlimited but for GPUs: of these {@code gpus} are nominal. */
  static QuotaLimit[] gpus(long gpus) {
    return new QuotaLimit[] {
      new QuotaLimit(H100, "gpu", gpus * 1000, null, null),
      new QuotaLimit(H100, "cpu", null, null, null),
      new QuotaLimit(H100, "memory", null, null, null),
      new QuotaLimit(H100, "pods", null, null, null)
    };
  }

  /**
   * Nominal cpu, memory and pods for all that these tests start, so that only GPUs are borrowed.
   */
  static QuotaLimit[] lendable(long gpus) {
    return new QuotaLimit[] {
      new QuotaLimit(H100, "gpu", gpus * 1000, null, null),
      new QuotaLimit(H100, "cpu", 1_000_000L, null, null),
      new QuotaLimit(H100, "memory", 10_000_000L, null, null),
      new QuotaLimit(H100, "pods", 1000L, null, null)
    };
  }

  @Test
  void priorityPrecedesAge() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder young = scene.job("young").gpus(8).age(10);
    JobBuilder old = scene.job("old").gpus(8).age(100);
    JobBuilder high = scene.job("high").gpus(8).age(1).priority(PriorityClass.HIGH);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places()).extracting(Decision.Place::job).containsExactly(high.id(), old.id());
    assertThat(plan.starts(young)).isFalse();
  }

  @Test
  void noJobPassesTheHeadOfAStrictQueue() {
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.cluster("eu-1").used(4).nodes(2, 8, "H100");
    JobBuilder head = scene.job("head").gpus(8).age(100).queue("strict", strict);
    JobBuilder behind = scene.job("behind").gpus(1).age(10).queue("strict", strict);
    JobBuilder elsewhere = scene.job("elsewhere").gpus(1).age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(head).reason()).isEqualTo(Reason.CAPACITY);
    assertThat(plan.first(behind).reason()).isEqualTo(Reason.RESERVATION_CONFLICT);
    assertThat(plan.why(behind).nearMisses()).isEmpty();
    assertThat(plan.starts(elsewhere)).isTrue();
  }

  @Test
  void infeasibleHeadDoesNotBlockAStrictQueue() {
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder head = scene.job("head").gpus(16).age(100).queue("strict", strict);
    JobBuilder behind = scene.job("behind").gpus(1).age(10).queue("strict", strict);

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(head).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.starts(behind)).isTrue();
  }

  @Test
  void bestEffortQueueLetsFittingJobsPass() {
    scene.cluster("eu-1").used(4).nodes(2, 8, "H100");
    JobBuilder head = scene.job("head").gpus(8).age(100);
    JobBuilder behind = scene.job("behind").gpus(1).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(head)).isFalse();
    assertThat(plan.starts(behind)).isTrue();
  }

  @Test
  void heldQueueStartsNothing() {
    QueueSettings held =
        QueueSettings.of(QueueSettings.Order.BEST_EFFORT_FIFO, QueueSettings.State.HELD, null);
    QuotaNodeId queue = scene.queue("night", null, held);
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gpus(1).queue("night", queue);

    assertThat(scene.plan().first(job).reason()).isEqualTo(Reason.QUEUE_STOPPED);
  }

  @Test
  void drainingQueueStartsItsJobs() {
    QueueSettings draining =
        QueueSettings.of(QueueSettings.Order.BEST_EFFORT_FIFO, QueueSettings.State.DRAINING, null);
    QuotaNodeId queue = scene.queue("night", null, draining);
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gpus(1).queue("night", queue);

    assertThat(scene.plan().starts(job)).isTrue();
  }

  @Test
  void queueWithinItsQuotaPrecedesAnOlderBorrower() {
    QuotaNodeId root = scene.group("root");
    QuotaNodeId small = scene.queue("small", root, QueueSettings.DEFAULT, lendable(0));
    QuotaNodeId owner = scene.queue("owner", root, QueueSettings.DEFAULT, lendable(8));
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder borrower = scene.job("borrower").gpus(8).age(1000).queue("small", small);
    JobBuilder own = scene.job("own").gpus(8).age(1).queue("owner", owner);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(own)).isTrue();
    assertThat(plan.starts(borrower)).isFalse();
  }

  /** Fails when the order depends on age alone: eight jobs of the first user would start. */
  @Test
  void usersOfOneQueueTakeTurnsUnderUserFairness() {
    QueueSettings fair =
        QueueSettings.of(
            QueueSettings.Order.BEST_EFFORT_FIFO,
            QueueSettings.State.ACTIVE,
            null,
            true,
            FlavorFallback.DEFAULT);
    QuotaNodeId queue = scene.queue("fair", null, fair);
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder many = scene.job("many").user("ana").gpus(1).array(8).age(100).queue("fair", queue);
    JobBuilder later = scene.job("later").user("bo").gpus(1).array(8).age(50).queue("fair", queue);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(many)).hasSize(4);
    assertThat(plan.places(later)).hasSize(4);
  }

  @Test
  void runningJobsOfAUserCount() {
    QueueSettings fair =
        QueueSettings.of(
            QueueSettings.Order.BEST_EFFORT_FIFO,
            QueueSettings.State.ACTIVE,
            null,
            true,
            FlavorFallback.DEFAULT);
    QuotaNodeId queue = scene.queue("fair", null, fair);
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("runs").user("ana").gpus(7).queue("fair", queue);
    var running = RandomScene.started(scene.world());
    JobBuilder more = scene.job("more").user("ana").gpus(1).age(100).queue("fair", queue);
    JobBuilder other = scene.job("other").user("bo").gpus(1).queue("fair", queue);

    Plan plan =
        new SchedulingEngine()
            .plan(
                new Snapshot(
                    running.with(List.of(more.pending(), other.pending())), List.of(), 1_000_000));

    assertThat(plan.decisions())
        .filteredOn(Decision.Place.class::isInstance)
        .extracting(Decision::job)
        .containsExactly(other.id());
  }

  /**
   * Jobs of the second queue borrow much cpu beside their GPU. By dominant share they would get
   * three of the eight GPUs. If GPUs are divided, each queue has four.
   */
  @Test
  void dividingGroupGivesEachChildItsDeservedGpus() {
    QuotaNodeId root = scene.group("root", borrowable(8000, 100_000));
    scene.divides(root);
    QuotaNodeId lean = scene.queue("lean", root, QueueSettings.DEFAULT, borrowable(0, 0));
    QuotaNodeId greedy = scene.queue("greedy", root, QueueSettings.DEFAULT, borrowable(0, 0));
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder small = scene.job("small").gpus(1).cpu(1).array(8).queue("lean", lean).age(100);
    JobBuilder large = scene.job("large").gpus(1).cpu(20).array(8).queue("greedy", greedy);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(small)).hasSize(4);
    assertThat(plan.places(large)).hasSize(4);
  }

  private static QuotaLimit[] borrowable(long gpuMilli, long cpuMilli) {
    return new QuotaLimit[] {
      new QuotaLimit(H100, "gpu", gpuMilli, null, null),
      new QuotaLimit(H100, "cpu", cpuMilli, null, null)
    };
  }

  @Test
  void borrowersTakeTurnsByWeight() {
    QuotaNodeId root = scene.group("root", lendable(12));
    QuotaNodeId one = scene.queue("one", root, QueueSettings.DEFAULT, 1000, lendable(0));
    QuotaNodeId two = scene.queue("two", root, QueueSettings.DEFAULT, 2000, lendable(0));
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder ofOne = scene.job("of-one").gpus(1).array(12).queue("one", one).age(1000);
    JobBuilder ofTwo = scene.job("of-two").gpus(1).array(12).queue("two", two);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(ofOne)).hasSize(4);
    assertThat(plan.places(ofTwo)).hasSize(8);
  }

  @Test
  void queueOfWeightZeroComesLast() {
    QuotaNodeId root = scene.group("root", lendable(8));
    QuotaNodeId idle = scene.queue("idle", root, QueueSettings.DEFAULT, 0, lendable(0));
    QuotaNodeId busy = scene.queue("busy", root, QueueSettings.DEFAULT, 1, lendable(0));
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder last = scene.job("last").gpus(1).array(8).queue("idle", idle).age(1000);
    JobBuilder first = scene.job("first").gpus(1).array(6).queue("busy", busy);

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(first)).hasSize(6);
    assertThat(plan.places(last)).hasSize(2);
  }

  @Test
  void quotaRejectsAWholeElementWithItsFigures() {
    QuotaNodeId research = scene.queue("research", null, QueueSettings.DEFAULT, gpus(24));
    scene.cluster("eu-1").nodes(16, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(3).gpus(8).queue("research", research);
    JobBuilder three = scene.job("three").gang(2).gpus(8).queue("research", research).age(100);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(three)).isTrue();
    assertThat(plan.first(gang).reason()).isEqualTo(Reason.QUOTA);
    assertThat(plan.first(gang).message())
        .satisfies(
            reason("order.needs-gpu-quota-research", 24, "H100/RESERVED", "research", 8, 16, 24));
    assertThat(plan.first(gang).action()).as("waiting helps").isNull();
  }

  @Test
  void rejectingQuotaNodeIsNamed() {
    QuotaNodeId acme = scene.group("acme", gpus(8));
    QuotaNodeId team = scene.queue("team", acme, QueueSettings.DEFAULT);
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder eight = scene.job("eight").gpus(8).queue("team", team).age(100);
    JobBuilder more = scene.job("more").gpus(1).queue("team", team);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(eight)).isTrue();
    assertThat(plan.first(more).scope().name()).isEqualTo("acme");
    assertThat(plan.first(more).numbers())
        .containsEntry("availableMilli", 0L)
        .containsEntry("mostMilli", 8000L);
  }

  @Test
  void jobsBeyondTheCycleBudgetAreNamedAndComeFirstNextTime() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder older = scene.job("older").gpus(8).age(100);
    JobBuilder younger = scene.job("younger").gpus(4).age(10);

    Scene.Planned plan = scene.plan(1);
    Scene.Planned next = scene.plan(1_000_000, younger);

    assertThat(plan.starts(older)).isTrue();
    assertThat(plan.plan().notReached()).isEqualTo(List.of(younger.id()));
    assertThat(plan.first(younger).reason()).isEqualTo(Reason.NOT_EVALUATED);
    assertThat(next.places().getFirst().job()).isEqualTo(younger.id());
  }

  @Test
  void laterJobDoesNotOvertakeTheHeadOfAStrictQueue() {
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.cluster("eu-1").used(4).nodes(2, 8, "H100");
    JobBuilder head = scene.job("head").gpus(8).age(100).queue("strict", strict);
    JobBuilder behind = scene.job("behind").gpus(1).age(10).queue("strict", strict);

    Scene.Planned plan = scene.plan(1_000_000, behind);

    assertThat(plan.starts(behind)).isFalse();
    assertThat(plan.starts(head)).isFalse();
  }

  /** Fails when Cycle tries a head that never fits: the law "steady" broke in seed 228. */
  @Test
  void infeasibleHeadDelaysNoJobBehindIt() {
    scene.cluster("eu-1").nodes(4, 8, "L4");
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.job("hopeless").queue("strict", strict).priority(PriorityClass.HIGH).gpus(9);
    JobBuilder behind = scene.job("behind").queue("strict", strict).gpus(1);

    assertThat(scene.plan(1, behind).starts(behind)).isTrue();
  }

  /** Fails when queues are compared by their own share alone. */
  @Test
  void sharesAreComparedLevelByLevelFromTheRoot() {
    scene.cluster("eu-1").used(4).nodes(1, 8, "H100");
    QuotaNodeId root = scene.group("company", lendable(16));
    QuotaNodeId large = scene.queue("large", root, null, lendable(0));
    QuotaNodeId small = scene.queue("small", root, null, lendable(0));
    QuotaNodeId idle = scene.queue("idle", large, QueueSettings.DEFAULT, lendable(0));
    QuotaNodeId busy = scene.queue("busy", large, QueueSettings.DEFAULT, lendable(0));
    QuotaNodeId modest = scene.queue("modest", small, QueueSettings.DEFAULT, lendable(0));
    scene.uses.addAll(QuotaWorld.used(scene.quotas, Map.of(busy, 8L, modest, 4L)));
    JobBuilder ofIdle = scene.job("of-idle").gpus(4).age(100).queue("idle", idle);
    JobBuilder ofModest = scene.job("of-modest").gpus(4).age(10).queue("modest", modest);

    Scene.Planned plan = scene.plan();

    // with its job, the group of the idle queue has 12 of 16, and the other group has 8
    assertThat(plan.starts(ofModest)).isTrue();
    assertThat(plan.starts(ofIdle)).isFalse();
  }

  /** Fails when Turns compares shares in a group of that policy. */
  @Test
  void withoutFairSharingPriorityPrecedesTheSmallerShare() {
    QuotaNodeId root = scene.group("root", lendable(8));
    QuotaNodeId busy = scene.queue("busy", root, QueueSettings.DEFAULT, lendable(0));
    QuotaNodeId idle = scene.queue("idle", root, QueueSettings.DEFAULT, lendable(0));
    scene.uses.addAll(QuotaWorld.used(scene.quotas, Map.of(busy, 4L)));
    scene.cluster("eu-1").nodes(1, 4, "H100");
    JobBuilder urgent =
        scene.job("urgent").gpus(4).queue("busy", busy).priority(PriorityClass.NORMAL);
    JobBuilder patient =
        scene.job("patient").gpus(4).queue("idle", idle).priority(PriorityClass.LOW);

    assertThat(scene.plan().starts(patient)).isTrue();
    scene.shares(root, SharePolicy.PRIORITY);
    assertThat(scene.plan().starts(urgent)).isTrue();
  }

  /**
   * Fails when Turns checks whether the queue of a head borrows, instead of the child of the group.
   */
  @Test
  void withoutFairSharingAJobWithinItsGroupQuotaPrecedesABorrower() {
    QuotaNodeId root = scene.group("root", lendable(0));
    scene.shares(root, SharePolicy.PRIORITY);
    QuotaNodeId owner = scene.queue("owner", root, null, lendable(4));
    scene.shares(owner, SharePolicy.PRIORITY);
    QuotaNodeId inside = scene.queue("inside", owner, QueueSettings.DEFAULT, lendable(0));
    QuotaNodeId outside = scene.queue("outside", root, QueueSettings.DEFAULT, lendable(0));
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder owned =
        scene.job("owned").gpus(4).queue("inside", inside).priority(PriorityClass.LOW);
    JobBuilder urgent =
        scene.job("urgent").gpus(4).queue("outside", outside).priority(PriorityClass.NORMAL);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(owned)).isTrue();
    assertThat(plan.starts(urgent)).isFalse();
  }

  /** Fails when Turns ignores besideGpus: the older job would be first. */
  @Test
  void jobsWithoutGpusOfADividingGroupAreOrderedByOtherResources() {
    Flavor plain = new Flavor("CPU", CapacityType.RESERVED);
    QuotaLimit cores = new QuotaLimit(plain, "cpu", 64_000L, null, null);
    QuotaLimit none = new QuotaLimit(plain, "cpu", 0L, null, null);
    QuotaNodeId root = scene.group("root", cores);
    scene.shares(root, SharePolicy.DESERVED_SHARE);
    QuotaNodeId first = scene.queue("first", root, QueueSettings.DEFAULT, none);
    QuotaNodeId second = scene.queue("second", root, QueueSettings.DEFAULT, none);
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder large =
        scene.job("large").gpu(GpuRequest.NONE).cpu(30).queue("first", first).age(90);
    JobBuilder more = scene.job("more").gpu(GpuRequest.NONE).cpu(30).queue("first", first).age(80);
    JobBuilder young =
        scene.job("young").gpu(GpuRequest.NONE).cpu(30).queue("second", second).age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(large)).isTrue();
    assertThat(plan.starts(young)).isTrue();
    assertThat(plan.starts(more)).isFalse();
  }
}
