package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.job.estimate.OpeningTiers;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.laws.Changed;
import dev.fairlead.work.placement.shape.QueueTiers;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tiers of a queue's routing policy: which capacity first, which only after a wait, which never.
 */
class RoutingTest extends RoutingScene {

  /** Fails when a job uses a tier before its wait for the tier is over. */
  @Test
  void jobWaitsForTheNextTierAndReportsItsOpening() {
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, usd(3_200_000)));
    JobBuilder first = first();
    JobBuilder second = scene.job("second").gpus(8).age(TEN_MINUTES - 480);

    Scene.Planned plan = scene.plan();

    assertThat(plan.cluster(first)).isEqualTo("reserved");
    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.first(second).reason()).isEqualTo(Reason.CAPACITY);
    Job job = second.pending().job();
    Blocker told =
        OpeningTiers.told(plan.why(second), job, Scene.NOW).blockers().stream()
            .filter(b -> b.reason() == Reason.ROUTING)
            .findFirst()
            .orElseThrow();
    assertThat(told.message())
        .satisfies(
            reason(
                "routing.tier-up-usd-per",
                2,
                "ON_DEMAND",
                "3.20",
                "USD",
                "10m",
                "2026-03-01T12:08:00Z",
                8));
    assertThat(told.numbers())
        .containsEntry("tier", 2L)
        .containsEntry("afterSeconds", 600L)
        .containsEntry("opensAtEpochSeconds", Scene.NOW.plusSeconds(480).getEpochSecond());
    assertThat(plan.why(second).nearMisses())
        .noneMatch(miss -> miss.effect().contains("starts now on dear"));
  }

  /** Fails when a tier with cached results of the last cycle does not open over time. */
  @Test
  void tierOpensAfterTheWaitOfTheJob() {
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, null));
    first();
    JobBuilder second = scene.job("second").gpus(8).age(TEN_MINUTES - 10);
    SchedulingEngine engine = new SchedulingEngine();
    CycleCache memory = new CycleCache();
    World before = scene.world();
    Scene.Planned early =
        new Scene.Planned(
            before, engine.plan(new Snapshot(before, List.of(), Snapshot.WORK_BUDGET), memory));
    World later = Changed.asOf(before, before.asOf().plusSeconds(10));
    Scene.Planned late =
        new Scene.Planned(
            later, engine.plan(new Snapshot(later, List.of(), Snapshot.WORK_BUDGET), memory));

    assertThat(early.starts(second)).isFalse();
    assertThat(late.cluster(second)).isEqualTo("dear");
  }

  /** Fails when the shape of the last cycle outlives the policy of its queue. */
  @Test
  void newPolicyAppliesToWaitingJobs() {
    JobBuilder first = first();
    JobBuilder second = scene.job("second").gpus(8).age(10);
    SchedulingEngine engine = new SchedulingEngine();
    CycleCache memory = new CycleCache();
    World before = scene.world();
    engine.plan(new Snapshot(before, List.of(), Snapshot.WORK_BUDGET), memory);
    scene.routing(queue, reserved());
    World now = Changed.quotas(before, scene.quotas);

    Plan plan = engine.plan(new Snapshot(now, List.of(), Snapshot.WORK_BUDGET), memory);

    assertThat(new Scene.Planned(now, plan).starts(first)).isTrue();
    assertThat(new Scene.Planned(now, plan).starts(second)).isFalse();
  }

  @Test
  void queueWithoutAPolicyUsesTheNextCapacityTypeImmediately() {
    JobBuilder first = first();
    JobBuilder second = scene.job("second").gpus(8).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.cluster(first)).isEqualTo("reserved");
    assertThat(plan.cluster(second)).isEqualTo("dear");
  }

  /** Fails when a placement lacks the reason why it is not in an earlier tier. */
  @Test
  void placementNamesTheReasonForItsTier() {
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, null));
    JobBuilder first = first();
    JobBuilder second = scene.job("second").gpus(8).age(TEN_MINUTES);
    assertThat(tier(scene.plan(), first))
        .isEqualTo(new UsedTier(1, UsedTier.Cause.POLICY, Duration.ZERO));
    assertThat(tier(scene.plan(), second))
        .isEqualTo(new UsedTier(2, UsedTier.Cause.WAIT_OVER, Duration.ofMinutes(10)));

    scene.routing(queue, reserved(), onDemandAfter(0, null));
    assertThat(tier(scene.plan(), second).cause()).isEqualTo(UsedTier.Cause.NO_ROOM);

    scene.jobs.clear();
    JobBuilder elsewhere =
        scene.job("third").gpus(4).capacity(CapacityType.ON_DEMAND).age(TEN_MINUTES + 30);
    assertThat(tier(scene.plan(), elsewhere).cause()).isEqualTo(UsedTier.Cause.POLICY);

    scene.routing(queue);
    assertThat(tier(scene.plan(), elsewhere)).isNull();
  }

  /** Fails when only clusters in service count: an outage would read as the policy. */
  @Test
  void placementReportsUnavailableEarlierTiers() {
    scene
        .cluster("away", ClusterState.UNREACHABLE, CapacityType.RESERVED, false)
        .nodes(1, 8, "H100");
    onDemand("second");
    scene.routing(queue, reserved(), onDemandAfter(0, null));
    JobBuilder job = scene.job("a").gpus(8).on("away", "dear").age(60);
    JobBuilder other = scene.job("b").gpus(8).on("second").age(30);

    Scene.Planned plan = scene.plan();

    assertThat(tier(plan, job).cause()).isEqualTo(UsedTier.Cause.UNAVAILABLE);
    assertThat(tier(plan, other).cause()).isEqualTo(UsedTier.Cause.POLICY);
  }

  /** Fails when the order of a FIXED tier's lists does not count. */
  @Test
  void fixedTierFollowsTheOrderOfItsLists() {
    onDemand("another");
    scene.routing(
        queue,
        new RoutingPolicy.Tier(
            List.of(),
            List.of(),
            List.of("dear", "another", "reserved"),
            Duration.ZERO,
            null,
            RoutingPolicy.Order.FIXED));
    JobBuilder job = scene.job("a").gpus(8);

    assertThat(scene.plan().cluster(job)).isEqualTo("dear");
  }

  /** Fails when members of a gang are placed in two tiers. */
  @Test
  void gangRunsInOneClusterAndWaitsForTheTierThatHoldsAllOfIt() {
    scene.cluster("big", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(2, 8, "H100");
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, null));
    JobBuilder early = scene.job("early").gang(2).gpus(8).age(10);
    assertThat(scene.plan().starts(early)).isFalse();

    scene.jobs.clear();
    JobBuilder late = scene.job("late").gang(2).gpus(8).age(TEN_MINUTES);
    assertThat(scene.plan().cluster(late)).isEqualTo("big");
  }

  /** Fails when a job evicts in a tier that is not open to the job. */
  @Test
  void noJobIsEvictedInAClosedTier() {
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, null));
    scene.job("firm").gpus(8).priority(PriorityClass.URGENT).age(900);
    JobBuilder low = scene.job("low").gpus(8).priority(PriorityClass.LOW).age(800);
    Story story = new Story(scene);
    assertThat(story.plan().cluster(low)).isEqualTo("dear");
    JobBuilder high = late("high", 3);

    assertThat(preemptions(story.submit(high).look())).isEmpty();
    assertThat(preemptions(story.pass(Duration.ofSeconds(TEN_MINUTES)).look())).hasSize(1);
  }

  private Story closesOnDemand(Story story) {
    scene.routing(queue, reserved(), onDemandAfter(100_000, null));
    return story.governs(scene.quotas);
  }

  private JobBuilder elsewhere(Story story) {
    QuotaNodeId other = scene.queue("other", null, Scene.strict());
    story.adds(scene.quotas.getLast());
    return new JobBuilder("rival", 9, other).queue("other", other).gpus(8).on("big").age(1);
  }

  /** Fails when nodes remain idle for a gang whose queue no longer permits them. */
  @Test
  void reservationAfterAFaultEndsWithItsTier() {
    scene.cluster("big", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(3, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(3).gpus(8).age(60);
    Story story = new Story(scene);
    String sick = story.plan().nodes(gang).getFirst();
    story.faults(gang, sick).leaves(gang);
    JobBuilder rival = elsewhere(story);
    assertThat(story.submit(rival).look().starts(rival)).isFalse();

    assertThat(closesOnDemand(story).plan().starts(rival)).isTrue();
    assertThat(story.reservations()).isEmpty();
  }

  /** Fails when nodes are drained for a job whose queue no longer permits them. */
  @Test
  void drainEndsWithItsTier() {
    scene.cluster("big", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(2, 8, "H100");
    scene.jobs.add(new JobBuilder("runs", 7, queue).gpus(8).on("big"));
    Story story = new Story(scene);
    story.plan();
    JobBuilder gang = new JobBuilder("gang", 8, queue).gpus(8).gang(2).age(1);
    story.submit(gang).pass(Duration.ofHours(2)).plan();
    assertThat(story.reservations())
        .extracting(Reservation::kind)
        .containsExactly(Reservation.Kind.DRAIN);
    JobBuilder rival = elsewhere(story);
    assertThat(story.submit(rival).look().starts(rival)).isFalse();

    assertThat(closesOnDemand(story).plan().starts(rival)).isTrue();
    assertThat(story.reservations()).isEmpty();
  }

  private static List<Decision> preemptions(Scene.Planned plan) {
    return plan.plan().decisions().stream().filter(Decision.Preempt.class::isInstance).toList();
  }

  /** Fails when the forecast omits tiers that are not open, or does not name them. */
  @Test
  void forecastNamesTheTierOfEachCandidate() {
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, null));
    JobBuilder job = scene.job("a").gpus(8).age(0);

    Forecast forecast =
        Forecaster.of(
            new Snapshot(scene.world(), List.of(), Snapshot.WORK_BUDGET), job.pending().job());

    assertThat(forecast.candidates())
        .extracting(Forecast.Candidate::cluster, Forecast.Candidate::tier)
        .containsExactly(tuple("reserved", 1), tuple("dear", 2));
    assertThat(forecast.candidates().getFirst().blockers()).isEmpty();
    assertThat(forecast.candidates().getLast().blockers())
        .extracting(Blocker::message)
        .singleElement()
        .satisfies(reason("routing.tier-opens-after-wait", 2, "ON_DEMAND", "10m"));
  }

  @Test
  void emptyPolicyIsNamedAsTheReason() {
    scene.routing(
        queue,
        new RoutingPolicy.Tier(
            List.of(),
            List.of(),
            List.of("elsewhere"),
            Duration.ZERO,
            null,
            RoutingPolicy.Order.FIXED));
    JobBuilder job = scene.job("a").gpus(8);

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(job).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.first(job).message()).satisfies(reason("routing.tier-queues-routing-policy"));
  }

  /** Fails when the scheduler is not notified when the next tier opens. */
  @Test
  void nextOpeningIsTheRemainingWait() {
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, null));
    Job job = scene.job("a").gpus(8).age(TEN_MINUTES - 480).pending().job();
    Instant opens = Scene.NOW.plusSeconds(480);

    assertThat(new QueueTiers(scene.quotas, Scene.NOW).nextOpening(job)).isEqualTo(opens);
    assertThat(new QueueTiers(scene.quotas, opens).nextOpening(job)).isNull();
  }

  /** Fails when the remaining wait is counted from now for a job with a later notBefore. */
  @Test
  void waitForATierStartsAtNotBefore() {
    scene.routing(queue, reserved(), onDemandAfter(TEN_MINUTES, null));
    Instant notBefore = Scene.NOW.plus(Duration.ofDays(1));
    Job job = scene.job("a").gpus(8).notBefore(notBefore).pending().job();

    assertThat(new QueueTiers(scene.quotas, Scene.NOW).nextOpening(job))
        .isEqualTo(notBefore.plusSeconds(TEN_MINUTES));
  }

  /** Fails when the time that a job ran counts as a wait that opens the tier of its place. */
  @Test
  void jobThatWouldWaitForItsTierAgainIsNotMoved() {
    assertThat(moves(Duration.ofHours(1))).isEmpty();
    assertThat(moves(Duration.ZERO)).hasSize(1);
  }

  /** Of small jobs that started at once and run for two hours, when the tier opens so late. */
  private static List<Decision> moves(Duration after) {
    Scene scene = new Scene();
    QuotaNodeId queue = scene.quotas.getFirst().id();
    scene.cluster("a").nodes(2, 8, "H100");
    scene.spreads("a");
    scene.consolidates("a");
    scene.job("one").gpus(3).priority(PriorityClass.LOW).age(0);
    scene.job("two").gpus(3).priority(PriorityClass.LOW).age(0);
    Story story = new Story(scene);
    assertThat(story.plan().places()).hasSize(2);
    story
        .pass(Duration.ofHours(2))
        .submit(new JobBuilder("wide", 1000, queue).gpus(8).age(100_000));
    scene.routing(
        queue,
        tier(
            CapacityType.RESERVED,
            Math.toIntExact(after.toSeconds()),
            null,
            RoutingPolicy.Order.FIXED));
    World world = Changed.quotas(story.world(), scene.quotas);
    Snapshot snapshot = new Snapshot(world, List.of(), Snapshot.WORK_BUDGET);
    Plan plan = new SchedulingEngine().plan(snapshot, new CycleCache());
    return preemptions(new Scene.Planned(world, plan));
  }
}
