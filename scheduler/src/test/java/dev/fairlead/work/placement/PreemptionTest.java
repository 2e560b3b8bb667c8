package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Evicted jobs, and the jobs that replace them. */
class PreemptionTest {
  private final Scene scene = new Scene();
  private QuotaNodeId queue;
  private int made;

  @BeforeEach
  void aQueueWhoseHigherPriorityEvicts() {
    queue = scene.queue("team", null, QueueSettings.DEFAULT);
    scene.preempts(queue, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
  }

  /** There from the start. */
  private JobBuilder job(String name, int gpus, PriorityClass priority) {
    JobBuilder job = late(name, gpus, priority).age(60);
    scene.jobs.add(job);
    return job;
  }

  /** Not in the scene at first. */
  private JobBuilder late(String name, int gpus, PriorityClass priority) {
    return new JobBuilder(name, ++made, queue)
        .gpus(gpus)
        .queue("team", queue)
        .priority(priority)
        .age(1);
  }

  private static List<JobId> victims(Scene.Planned plan) {
    return plan.plan().decisions().stream()
        .filter(Decision.Preempt.class::isInstance)
        .flatMap(d -> ((Decision.Preempt) d).victims().stream())
        .map(Decision.Preempt.Eviction::job)
        .toList();
  }

  @Test
  void victimsAndBeneficiariesAreReportedAsSumsOnly() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder victim = job("secret-victim", 8, PriorityClass.LOW);
    JobBuilder served = late("secret-served", 8, PriorityClass.HIGH);
    JobBuilder waits = late("waits", 8, PriorityClass.NORMAL);
    Story story = new Story(scene);
    story.plan();

    Scene.Planned plan = story.submit(served).submit(waits).plan();

    assertThat(plan.first(served).reason()).isEqualTo(Reason.WAITING_FOR_VICTIMS);
    assertThat(plan.first(served).numbers()).containsEntry("jobs", 1L);
    assertThat(plan.why(served).toString()).doesNotContain("secret-", victim.id().bare());
    assertThat(plan.why(waits).toString())
        .doesNotContain("secret-", victim.id().bare(), served.id().bare());
  }

  /** Fails when the explanation omits that the queue could permit preemption. */
  @Test
  void jobBehindLowerPriorityReportsThatPreemptionIsOffInItsQueue() {
    scene.preempts(queue, WithinQueue.NEVER, Reclaim.NEVER);
    scene.cluster("eu-1").nodes(2, 8, "H100").nodes(1, 8, "L4");
    job("low", 8, PriorityClass.LOW).gpus(8, "H100");
    job("equal", 8, PriorityClass.HIGH).gpus(8, "H100");
    job("other", 8, PriorityClass.LOW).gpus(8, "L4");
    JobBuilder high = late("high", 8, PriorityClass.HIGH).gpus(8, "H100");
    JobBuilder same = late("same", 8, PriorityClass.LOW).gpus(8, "H100");
    Story story = new Story(scene);
    story.plan();

    Scene.Planned plan = story.submit(high).submit(same).plan();

    String off =
        "1 job of lower priority in queue 'team' runs with 8 GPUs, and preemption is off in this"
            + " queue";
    assertThat(plan.why(high).blockers())
        .filteredOn(blocker -> blocker.message().equals(off))
        .singleElement()
        .satisfies(blocker -> assertThat(blocker.action()).contains("PATCH /queues/team"));
    assertThat(plan.why(same).blockers()).noneMatch(blocker -> blocker.message().equals(off));
  }

  @Test
  void freedCapacityIsReservedForThePreemptorUntilItStarts() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder low = job("low", 8, PriorityClass.LOW);
    JobBuilder high = late("high", 8, PriorityClass.HIGH);
    JobBuilder thief = late("thief", 1, PriorityClass.NORMAL);
    Story story = new Story(scene);
    story.plan();

    Scene.Planned evicting = story.submit(high).plan();
    assertThat(victims(evicting)).containsExactly(low.id());
    assertThat(evicting.first(high).reason()).isEqualTo(Reason.WAITING_FOR_VICTIMS);
    assertThat(evicting.first(high).numbers()).containsEntry("jobs", 1L);

    Scene.Planned waiting = story.submit(thief).plan();
    assertThat(waiting.places()).isEmpty();
    assertThat(victims(waiting)).isEmpty();

    // Fails when a reservation is missing from the working copy: the victim or another job would
    // start.
    Scene.Planned freed = story.leaves(low).plan();
    assertThat(freed.places()).extracting(Decision.Place::job).containsExactly(high.id());
  }

  @Test
  void otherJobsReportTheReservation() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder low = job("low", 4, PriorityClass.LOW);
    JobBuilder high = late("high", 8, PriorityClass.HIGH);
    JobBuilder small = late("small", 2, PriorityClass.LOW);
    Story story = new Story(scene);
    story.plan();
    assertThat(victims(story.submit(high).plan())).containsExactly(low.id());

    Scene.Planned plan = story.submit(small).plan();

    assertThat(plan.starts(small)).isFalse();
    assertThat(plan.first(small).reason()).isEqualTo(Reason.RESERVATION_CONFLICT);
    assertThat(plan.first(small).numbers()).containsEntry("reservedGpuMilli", 8000L);
  }

  @Test
  void fewestAndCheapestVictimsAreChosen() {
    scene.cluster("eu-1").nodes(2, 4, "H100");
    JobBuilder old = job("old", 4, PriorityClass.LOW);
    Story story = new Story(scene);
    story.plan();
    JobBuilder young = late("young", 4, PriorityClass.LOW);
    story.pass(Duration.ofHours(1)).submit(young).plan();
    JobBuilder high = late("high", 4, PriorityClass.HIGH);

    assertThat(victims(story.pass(Duration.ofMinutes(1)).submit(high).plan()))
        .containsExactly(young.id())
        .doesNotContain(old.id());
  }

  @Test
  void wholeGangIsEvictedForAWholeGang() {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    JobBuilder gang = job("gang", 8, PriorityClass.LOW).gang(4);
    JobBuilder high = late("high", 8, PriorityClass.HIGH).gang(2);
    Story story = new Story(scene);
    story.plan();

    assertThat(victims(story.submit(high).plan())).containsExactly(gang.id());
    Scene.Planned freed = story.leaves(gang).plan();
    assertThat(freed.starts(high)).isTrue();
    assertThat(freed.starts(gang)).isFalse();
  }

  @Test
  void noVictimIsEvictedForAJobThatStillCouldNotStart() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    job("precious", 8, PriorityClass.HIGH);
    JobBuilder low = job("low", 8, PriorityClass.LOW);
    JobBuilder wide = late("wide", 8, PriorityClass.URGENT).gang(2);
    Story story = new Story(scene);
    story.plan();

    Scene.Planned plan = story.submit(wide).plan();

    assertThat(victims(plan)).doesNotContain(low.id()).isEmpty();
    assertThat(plan.first(wide).reason()).isEqualTo(Reason.CAPACITY);
  }

  /** Fails when only jobs are evicted that use the quota charged for the job. */
  @Test
  void holderOfTheCpuOfIdleGpusIsEvictedToo() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder hog = job("hog", 0, PriorityClass.LOW).gpu(GpuRequest.NONE).cpu(100);
    JobBuilder low = job("low", 2, PriorityClass.LOW);
    JobBuilder high = late("high", 4, PriorityClass.HIGH).cpu(64);
    Story story = new Story(scene);
    story.plan();

    assertThat(victims(story.submit(high).plan())).containsExactly(hog.id());
    assertThat(story.leaves(hog).plan().starts(high)).isTrue();
    assertThat(story.world().live()).anyMatch(l -> l.job().id().equals(low.id()));
  }

  @Test
  void aMinimumRuntimeIsRespected() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder low = job("low", 8, PriorityClass.LOW).minRuntime(Duration.ofMinutes(30));
    JobBuilder high = late("high", 8, PriorityClass.HIGH);
    Story story = new Story(scene);
    story.plan();
    story.submit(high);

    assertThat(victims(story.pass(Duration.ofMinutes(29)).plan())).isEmpty();
    assertThat(victims(story.pass(Duration.ofMinutes(1)).plan())).containsExactly(low.id());
  }

  @Test
  void jobThatWaitsForALeavingJobEvictsNothing() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    job("low", 8, PriorityClass.LOW);
    job("other", 8, PriorityClass.LOW);
    JobBuilder first = late("first", 8, PriorityClass.HIGH);
    JobBuilder second = late("second", 8, PriorityClass.HIGH);
    Story story = new Story(scene);
    story.plan();

    assertThat(victims(story.submit(first).plan())).hasSize(1);
    assertThat(victims(story.plan())).isEmpty();
    // no victim is chosen twice
    assertThat(victims(story.submit(second).plan())).hasSize(1);
    assertThat(story.reservations()).hasSize(2);
  }

  @Test
  void lentQuotaIsReclaimed() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    QuotaNodeId root = scene.group("root");
    QuotaNodeId owner = scene.queue("owner", root, QueueSettings.DEFAULT, OrderTest.lendable(8));
    QuotaNodeId guest = scene.queue("guest", root, QueueSettings.DEFAULT, OrderTest.lendable(8));
    scene.preempts(owner, WithinQueue.NEVER, Reclaim.ANY);
    JobBuilder within = job("within", 8, PriorityClass.NORMAL).queue("guest", guest).age(200);
    JobBuilder borrows = job("borrows", 8, PriorityClass.NORMAL).queue("guest", guest).age(100);
    JobBuilder mine = late("mine", 8, PriorityClass.NORMAL).queue("owner", owner);
    JobBuilder more = late("more", 8, PriorityClass.NORMAL).queue("owner", owner);
    Story story = new Story(scene);
    assertThat(story.plan().places()).hasSize(2);

    List<JobId> victims = victims(story.submit(mine).plan());
    assertThat(victims).hasSize(1).isSubsetOf(within.id(), borrows.id());
    // the guest retains only its own quota
    assertThat(victims(story.submit(more).plan())).isEmpty();
    Scene.Planned freed = story.leaves(victims.contains(within.id()) ? within : borrows).plan();
    assertThat(freed.starts(mine)).isTrue();
    assertThat(freed.places()).hasSize(1);
    // and it does not reclaim the quota that it had borrowed
    assertThat(victims(story.plan())).isEmpty();
  }

  @Test
  void reservationEndsWithItsJob() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder low = job("low", 8, PriorityClass.LOW);
    JobBuilder high = late("high", 8, PriorityClass.HIGH);
    Story story = new Story(scene);
    story.plan();
    story.submit(high).plan();
    assertThat(story.reservations()).hasSize(1);

    Scene.Planned plan = story.withdraw(high).leaves(low).plan();

    assertThat(story.reservations()).isEmpty();
    assertThat(plan.starts(low)).isTrue();
  }

  @Test
  void reservationWhoseVictimsNeverLeaveIsAbandoned() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder low = job("low", 8, PriorityClass.LOW);
    JobBuilder high = late("high", 8, PriorityClass.HIGH);
    JobBuilder other = job("other", 8, PriorityClass.LOW);
    Story story = new Story(scene);
    story.plan();
    List<JobId> stuck = victims(story.submit(high).plan());

    List<JobId> next = victims(story.pass(Duration.ofMinutes(15)).plan());

    assertThat(stuck).hasSize(1).isSubsetOf(low.id(), other.id());
    assertThat(next).hasSize(1).doesNotContainAnyElementsOf(stuck);
  }

  /** Fails when Evictions stops at victims that release only quota. */
  @Test
  void victimsCoverQuotaAndNodeShortagesOfDifferentResources() {
    QuotaNodeId few =
        scene.queue(
            "few",
            null,
            QueueSettings.DEFAULT,
            new QuotaLimit(new Flavor("H100", CapacityType.RESERVED), "cpu", 10_000L, null, null));
    scene.preempts(few, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER);
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder cores = job("cores", 1, PriorityClass.LOW).queue("few", few).cpu(10);
    JobBuilder gpus = job("gpus", 7, PriorityClass.LOW).queue("few", few).cpu(0);
    Story story = new Story(scene);
    assertThat(story.plan().places()).hasSize(2);
    JobBuilder high = late("high", 8, PriorityClass.NORMAL).queue("few", few).cpu(10);

    assertThat(victims(story.submit(high).plan())).containsExactlyInAnyOrder(cores.id(), gpus.id());
  }

  @Test
  void fairSharingEvictsFromTheLargerShare() {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    QuotaNodeId root = scene.queue("root", null, null, OrderTest.lendable(32));
    QuotaNodeId greedy = scene.queue("greedy", root, QueueSettings.DEFAULT, OrderTest.lendable(0));
    QuotaNodeId modest = scene.queue("modest", root, QueueSettings.DEFAULT, OrderTest.lendable(0));
    scene.preempts(modest, new PreemptionRules(WithinQueue.NEVER, Reclaim.ANY, true));
    scene.preempts(greedy, new PreemptionRules(WithinQueue.NEVER, Reclaim.ANY, true));
    for (int i = 0; i < 4; i++) {
      job("greedy-" + i, 8, PriorityClass.NORMAL).queue("greedy", greedy);
    }
    Story story = new Story(scene);
    assertThat(story.plan().places()).hasSize(4);
    JobBuilder[] wanted = new JobBuilder[4];
    for (int i = 0; i < 4; i++) {
      wanted[i] = late("modest-" + i, 8, PriorityClass.NORMAL).queue("modest", modest);
    }

    Scene.Planned plan = story.submit(wanted).plan();

    // two of four each, because a third would leave the other with less
    assertThat(victims(plan)).hasSize(2);
    assertThat(victims(story.plan())).isEmpty();
  }

  /**
   * Every 22nd job clears a node. 14 evictions are useless when the work budget of the cycle ends
   * during the search for unneeded victims.
   */
  @Test
  void cycleWithASmallWorkBudgetEvictsNoJobInVain() {
    scene.cluster("eu-1").nodes(3, 8, "H100");
    scene.spreads("eu-1");
    List<JobBuilder> singles =
        IntStream.range(0, 24).mapToObj(i -> late("one" + i, 1, PriorityClass.LOW)).toList();
    Story story = new Story(scene);
    singles.forEach(single -> story.submit(single).pass(Duration.ofSeconds(1)).plan());
    story.submit(late("high", 8, PriorityClass.HIGH));

    List<Integer> sizes =
        IntStream.iterate(1, budget -> budget < 1500, budget -> budget + 11)
            .mapToObj(budget -> victims(story.look(budget, List.of())).size())
            .distinct()
            .toList();

    assertThat(sizes).containsExactlyInAnyOrder(0, 8);
  }

  /** Fails when each step of the search considers all victims before it: that takes 50 seconds. */
  @Test
  void manyJobsAreEvictedForAGang() {
    scene.cluster("eu-1").nodes(500, 8, "H100");
    scene.spreads("eu-1");
    IntStream.range(0, 4000).forEach(i -> job("one" + i, 1, PriorityClass.LOW).age(60 + i % 997));
    Story story = new Story(scene);
    story.plan();
    story.submit(late("high", 8, PriorityClass.HIGH).gang(50));

    assertThat(assertTimeoutPreemptively(Duration.ofSeconds(20), () -> victims(story.look())))
        .hasSize(400);
  }
}
