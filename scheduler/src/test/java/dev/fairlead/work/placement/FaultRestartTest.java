package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.FaultReservation;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gang that loses a node to a fault restarts on its other nodes and a spare. */
class FaultRestartTest {
  private final Scene scene = new Scene();
  private QuotaNodeId queue;
  private int made;

  @BeforeEach
  void aQueue() {
    queue = scene.queue("team", null, QueueSettings.DEFAULT);
  }

  private JobBuilder job(String name, int members) {
    return new JobBuilder(name, ++made, queue).gang(members).gpus(8).queue("team", queue).age(60);
  }

  private Story gangOfThree(JobBuilder gang, String spares, int nodes) {
    scene
        .cluster("eu-1")
        .pool("research", null, Spares.parse(spares).orElseThrow())
        .nodes(nodes, 8, "H100");
    scene.jobs.add(gang);
    Story story = new Story(scene);
    assertThat(story.plan().nodes(gang)).containsExactly("eu-1-n001", "eu-1-n002", "eu-1-n003");
    return story;
  }

  /**
   * Fails when the place is not reserved, when the spare is not lent, or when other jobs get it
   * first.
   */
  @Test
  void gangRestartsOnItsOtherNodesAndTheSpareBeforeAllOthers() {
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "1 per 4", 5).faults(gang, "eu-1-n002");
    JobBuilder rival = job("rival", 1).priority(PriorityClass.HIGH);
    JobBuilder second = job("second", 1).priority(PriorityClass.HIGH);

    Scene.Planned leaving = story.submit(rival, second).plan();
    assertThat(leaving.nodes(rival)).containsExactly("eu-1-n004");
    assertThat(leaving.starts(second)).isFalse();
    assertThat(leaving.why(second).blockers())
        .extracting(Blocker::message)
        .anySatisfy(reason("fault-restart.node-gpus-reserved-spare", 1, 8, "research", 1, 4));

    Scene.Planned left = story.leaves(gang).plan();
    assertThat(left.nodes(gang)).containsExactly("eu-1-n001", "eu-1-n003", "eu-1-n005");
    assertThat(left.starts(second)).isFalse();
    assertThat(story.reservations()).isEmpty();
  }

  /** Fails when only an incident is a reason to keep the place and to lend a spare. */
  @Test
  void machineFailureWithoutAnIncidentUsesASpareToo() {
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "1 per 4", 4).machineFails(gang, "eu-1-n002");
    JobBuilder rival = job("rival", 1).priority(PriorityClass.HIGH);

    assertThat(story.submit(rival).plan().starts(rival)).isFalse();
    assertThat(story.leaves(gang).plan().nodes(gang))
        .containsExactly("eu-1-n001", "eu-1-n003", "eu-1-n004");
  }

  /**
   * Fails when ReservedStarts does not check whether the nodes of a fault reservation are avoided.
   */
  @Test
  void gangAvoidingItsNodeReportsTheTimeOfTheNextTry() {
    JobBuilder gang = job("gang", 3);
    Story story =
        gangOfThree(gang, "0 per 1", 3)
            .faults(gang, "eu-1-n001")
            .fails(gang, FailureCause.GPU_FAULT)
            .heals("eu-1-n001");

    Scene.Planned avoided = story.plan();

    assertThat(avoided.first(gang).reason()).isEqualTo(Reason.BACKING_OFF);
    assertThat(avoided.first(gang).message()).contains("until 2026-03-01T12:02:00Z");
    assertThat(story.pass(Duration.ofMinutes(2)).plan().starts(gang)).isTrue();
  }

  /** Fails when other nodes are preferred although the reserved nodes fit as well. */
  @Test
  void gangReusesItsNodesEvenIfOthersAreFree() {
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "0 per 1", 9).faults(gang, "eu-1-n001").leaves(gang);

    assertThat(story.plan().nodes(gang)).contains("eu-1-n002", "eu-1-n003");
  }

  /** Fails when a job in back-off loses its reservation. */
  @Test
  void reservationSurvivesABackOff() {
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "1 per 4", 4).faults(gang, "eu-1-n002").leaves(gang);
    JobBuilder rival = job("rival", 1);

    Scene.Planned resting =
        story.retriesAt(gang, Scene.NOW.plus(Duration.ofMinutes(5))).submit(rival).plan();
    assertThat(resting.places()).isEmpty();
    assertThat(story.reservations()).hasSize(1);

    assertThat(story.pass(Duration.ofMinutes(5)).plan().nodes(gang))
        .containsExactly("eu-1-n001", "eu-1-n003", "eu-1-n004");
  }

  /**
   * Fails when a job in back-off does not count: the next job of its user would end its
   * reservation.
   */
  @Test
  void jobInBackOffCountsTowardsItsUserLimit() {
    queue =
        scene.queue(
            "limited",
            null,
            QueueSettings.DEFAULT.withUserLimits(new UserLimits(1, null, null, null)));
    JobBuilder gang = job("gang", 3).user("anna");
    Story story = gangOfThree(gang, "1 per 4", 6).faults(gang, "eu-1-n002").leaves(gang);
    JobBuilder next = job("next", 1).user("anna");

    Scene.Planned resting =
        story.retriesAt(gang, Scene.NOW.plus(Duration.ofMinutes(5))).submit(next).plan();
    assertThat(resting.first(next).reason()).isEqualTo(Reason.USER_LIMIT);

    Scene.Planned back = story.pass(Duration.ofMinutes(5)).plan();
    assertThat(back.starts(gang)).isTrue();
    assertThat(back.starts(next)).isFalse();
  }

  /** Fails when a fault reservation does not expire or end with its job. */
  @Test
  void faultReservationEndsByItsTimeAndWithItsJob() {
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "0 per 1", 3).faults(gang, "eu-1-n002").leaves(gang);
    JobBuilder rival = job("rival", 1);
    Scene.Planned waits = story.submit(rival).plan();
    assertThat(waits.places()).isEmpty();
    assertThat(waits.first(gang).reason()).isEqualTo(Reason.CAPACITY);
    assertThat(waits.first(gang).message())
        .satisfies(reason("fault-restart.lost-node-fault-node", 2, 3, "eu-1", 0));

    story.pass(FaultReservation.KEPT.minusSeconds(1));
    assertThat(story.look().starts(rival)).isFalse();
    assertThat(story.pass(Duration.ofSeconds(1)).plan().starts(rival)).isTrue();
    assertThat(story.reservations()).isEmpty();
  }

  /** Fails when the reservation outlives its job. */
  @Test
  void cancelledJobHasNoReservation() {
    JobBuilder gang = job("gang", 3);
    JobBuilder rival = job("rival", 1);
    Story story =
        gangOfThree(gang, "0 per 1", 3)
            .faults(gang, "eu-1-n002")
            .leaves(gang)
            .withdraw(gang)
            .submit(rival);

    assertThat(story.plan().starts(rival)).isTrue();
    assertThat(story.reservations()).isEmpty();
  }

  /** Fails when a gang that has most of its nodes cannot evict jobs for the remaining nodes. */
  @Test
  void lowerPriorityJobsMakeRoomWithoutASpare() {
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    JobBuilder gang = job("gang", 3);
    JobBuilder small = job("small", 1).priority(PriorityClass.LOW);
    scene.jobs.add(small.age(1));
    Story story = gangOfThree(gang, "0 per 1", 4).faults(gang, "eu-1-n002").leaves(gang);

    assertThat(story.plan().first(gang).reason()).isEqualTo(Reason.WAITING_FOR_VICTIMS);
    assertThat(story.reservations())
        .extracting(Reservation::kind)
        .containsExactly(Reservation.Kind.PREEMPTION);
    assertThat(story.leaves(small).plan().nodes(gang))
        .containsExactly("eu-1-n001", "eu-1-n003", "eu-1-n004");
  }

  /** Fails when spares are released before lower-priority jobs are ordered to leave. */
  @Test
  void spareAndEvictionTogetherReplaceTwoNodes() {
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    JobBuilder gang = job("gang", 3);
    JobBuilder small = job("small", 1).priority(PriorityClass.LOW);
    scene.jobs.add(small.age(1));
    Story story = gangOfThree(gang, "1 per 4", 5).faults(gang, "eu-1-n001").leaves(gang);
    story.cordons("eu-1-n002");

    assertThat(story.plan().first(gang).reason()).isEqualTo(Reason.WAITING_FOR_VICTIMS);
    assertThat(story.leaves(small).plan().nodes(gang))
        .containsExactly("eu-1-n003", "eu-1-n004", "eu-1-n005");
  }

  /**
   * Fails when a job that could have evicted the gang cannot use the fault reservation, and when
   * the reservation ends regardless of that job's start.
   */
  @Test
  void jobThatMayEvictTheGangMayUseItsNodes() {
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "0 per 1", 3).faults(gang, "eu-1-n002").leaves(gang);
    JobBuilder equal = job("equal", 1);
    assertThat(story.submit(equal).look().places()).isEmpty();
    JobBuilder higher = job("higher", 1).priority(PriorityClass.HIGH);
    List<Reservation> kept = story.reservations();

    Scene.Planned plan = story.submit(higher).plan();

    assertThat(plan.nodes(higher)).containsAnyOf("eu-1-n001", "eu-1-n003");
    assertThat(plan.places().getFirst().taken()).isEqualTo(kept);
    assertThat(plan.plan().decisions()).noneMatch(Decision.Release.class::isInstance);
    assertThat(story.reservations()).isEmpty();
  }

  /**
   * Fails when jobs of a higher priority get the reserved place although the gang is never evicted.
   */
  @Test
  void reservationOfANonPreemptibleGangIsExclusive() {
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    JobBuilder gang = job("gang", 3).priority(PriorityClass.HIGH);
    Story story = gangOfThree(gang, "0 per 1", 3).faults(gang, "eu-1-n002").leaves(gang);
    JobBuilder higher = job("higher", 1).priority(PriorityClass.URGENT);

    assertThat(story.submit(higher).plan().places()).isEmpty();
    assertThat(story.reservations()).hasSize(1);
  }

  /**
   * Fails when a job uses a fault reservation without the jobs that run next to it, or only their
   * capacity.
   */
  @Test
  void faultReservationAndEvictionTogetherReplaceTwoNodes() {
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    JobBuilder gang = job("gang", 2);
    JobBuilder small = job("small", 1).age(1);
    scene.jobs.add(gang);
    scene.jobs.add(small);
    scene.cluster("eu-1").nodes(3, 8, "H100");
    Story story = new Story(scene);
    Scene.Planned began = story.plan();
    story.faults(gang, began.nodes(gang).getFirst()).leaves(gang);
    JobBuilder higher = job("higher", 2).priority(PriorityClass.HIGH);

    Scene.Planned plan = story.submit(higher).plan();
    assertThat(plan.first(higher).reason()).isEqualTo(Reason.WAITING_FOR_VICTIMS);
    assertThat(plan.plan().decisions()).noneMatch(Decision.Release.class::isInstance);
    assertThat(story.reservations()).extracting(Reservation::job).containsExactly(higher.id());
    assertThat(story.leaves(small).plan().nodes(higher))
        .containsExactlyInAnyOrder(began.nodes(gang).getLast(), began.nodes(small).getFirst());
  }

  /** Fails when a gang that lost its reservation still precedes all others. */
  @Test
  void gangWithoutItsReservationWaitsLikeAnyOther() {
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    JobBuilder high = job("high", 2).priority(PriorityClass.HIGH).on("eu-1");
    JobBuilder low = job("low", 2).on("eu-1", "eu-2");
    scene.cluster("eu-1").nodes(4, 8, "H100");
    scene.cluster("eu-2").nodes(2, 8, "H100");
    scene.jobs.addAll(List.of(high, low));
    Story story = new Story(scene);
    Scene.Planned began = story.plan();
    story.faults(high, began.nodes(high).getFirst()).leaves(high);
    story.faults(low, began.nodes(low).getFirst()).leaves(low);
    QuotaNodeId other = scene.queue("other", null, QueueSettings.DEFAULT);
    story.adds(scene.quotas.getLast());
    JobBuilder rival =
        new JobBuilder("rival", ++made, other).gang(2).gpus(8).queue("other", other).on("eu-2");

    Scene.Planned plan = story.submit(rival.priority(PriorityClass.HIGH)).plan();

    assertThat(plan.nodes(high))
        .containsExactlyInAnyOrder(began.nodes(high).getLast(), began.nodes(low).getLast());
    assertThat(plan.starts(rival)).isTrue();
    assertThat(plan.starts(low)).isFalse();
    assertThat(plan.first(low).message()).doesNotContain("are reserved until");
  }

  /** Fails when nodes stay idle for a gang whose queue starts no jobs. */
  @Test
  void gangBehindAClosedGateHasNoReservation() {
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "0 per 1", 3).faults(gang, "eu-1-n002").leaves(gang);
    QuotaNodeId other = scene.queue("other", null, QueueSettings.DEFAULT);
    story.adds(scene.quotas.getLast());
    JobBuilder rival = new JobBuilder("rival", ++made, other).gpus(8).queue("other", other);
    assertThat(story.submit(rival).look().starts(rival)).isFalse();

    assertThat(story.holds(queue).plan().starts(rival)).isTrue();
    assertThat(story.reservations()).isEmpty();
  }

  /**
   * Fails when the search for fault reservations is unbounded, so that many such gangs use the work
   * budget of the others, when a gang costs more work although its queue may evict no job, and when
   * one unreached place lets all elements of its job overtake every queue.
   */
  @Test
  void faultReservationPassLeavesTheOrderOfOthersUnchanged() {
    scene.cluster("eu-1").nodes(60, 8, "H100");
    List<JobBuilder> gangs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      gangs.add(job("gang" + i, 3));
    }
    scene.jobs.addAll(gangs);
    Story story = new Story(scene);
    Scene.Planned started = story.plan();
    gangs.forEach(gang -> story.faults(gang, started.nodes(gang).getFirst()).leaves(gang));
    JobBuilder rival = job("rival", 1);
    story.submit(rival);

    Scene.Planned first = story.plan(10_000, List.of());
    assertThat(first.plan().postponed()).hasSize(10);
    assertThat(first.plan().notReached()).isEmpty();
    assertThat(first.first(rival).reason()).isEqualTo(Reason.RESERVATION_CONFLICT);
    assertThat(story.reservations()).hasSize(20);

    Scene.Planned second = story.plan(10_000, first.plan().postponed());
    assertThat(second.plan().postponed())
        .as("different gangs than in the previous cycle")
        .isNotEqualTo(first.plan().postponed());
  }

  /** Fails when spares are not replenished from freed nodes, or are not empty nodes. */
  @Test
  void sparesAreRefilledAsSoonAsANodeIsFree() {
    scene
        .cluster("eu-1")
        .pool("research", null, new Spares(1, 4))
        .used(1)
        .nodes(2, 8, "H100")
        .used(0)
        .nodes(3, 8, "H100");
    JobBuilder first = job("first", 2);
    scene.jobs.add(first);
    Story story = new Story(scene);
    JobBuilder late = job("late", 1);

    assertThat(story.plan().nodes(first)).containsExactly("eu-1-n003", "eu-1-n004");
    assertThat(story.submit(late).plan().starts(late)).isFalse();
    Scene.Planned freed = story.leaves(first).withdraw(first).plan();
    assertThat(freed.nodes(late)).hasSize(1).doesNotContain("eu-1-n005");
  }

  /** Fails when a gang that needs the spares and all later jobs of a strict queue wait forever. */
  @Test
  void gangLargerThanTheFleetWithoutSparesIsInfeasibleAndBlocksNone() {
    scene.cluster("eu-1").pool("research", null, new Spares(1, 4)).nodes(4, 8, "H100");
    JobBuilder all = job("all", 4);
    JobBuilder behind = job("behind", 1).age(1);
    scene.jobs.add(all);
    scene.jobs.add(behind);

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(all).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.first(all).message()).contains("holds 24 beside its spares");
    assertThat(plan.starts(behind)).isTrue();
  }

  /** Fails when a cluster that is silent for seconds loses the reservations of all its gangs. */
  @Test
  void brieflySilentClusterEndsNoReservation() {
    JobBuilder gang = job("gang", 3);
    Story story = gangOfThree(gang, "1 per 4", 5).faults(gang, "eu-1-n002").leaves(gang);

    story.contender(ClusterState.DEGRADED).plan();
    assertThat(story.reservations()).hasSize(1);

    assertThat(story.contender(ClusterState.ACTIVE).plan().starts(gang)).isTrue();
  }

  /**
   * Fails when the blockers of each gang with a fault reservation are searched again without all
   * other reservations: a cycle with 800 gangs would take half a minute.
   */
  @Test
  void gangsOfOneClassThatLostNodesAreExplainedTogether() {
    scene.cluster("eu-1").nodes(6, 8, "H100");
    JobBuilder first = job("first", 3);
    JobBuilder second = job("second", 3);
    scene.jobs.addAll(List.of(first, second));
    Story story = new Story(scene);
    story.plan();
    for (JobBuilder gang : List.of(first, second)) {
      story.faults(gang, story.staying(gang).getFirst()).leaves(gang).pass(Duration.ofSeconds(2));
    }

    Scene.Planned planned = story.look();

    assertThat(planned.why(second).blockers()).isNotEqualTo(planned.why(first).blockers());
    assertThat(planned.why(second).clusters()).isNotEmpty().isSameAs(planned.why(first).clusters());
    assertThat(planned.why(second).blockers().toString()).contains("reserved for 1 waiting job");
  }
}
