package dev.fairlead.work.placement.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WhileBorrowing;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.placement.QuotaWorld;
import dev.fairlead.work.placement.share.GroupShares;
import dev.fairlead.work.spec.WarmMember;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class VictimSearchTest {
  private final QuotaWorld world = new QuotaWorld().queue("a", 4).queue("b", 4);
  private final List<RunningJob> running = new ArrayList<>();

  @Test
  void lowerPriorityJobOfTheSameQueueIsEvicted() {
    running("low", "a", 1, 4);
    running("other", "b", 1, 4);
    assertThat(victims(4, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER))
        .containsExactly("low WITHIN_QUEUE");
  }

  @Test
  void noJobIsEvictedForOneThatStillDoesNotFit() {
    running("low", "a", 1, 1);
    running("high", "a", 9, 3);
    running("other", "b", 1, 4);
    assertThat(victims(4, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER)).isEmpty();
  }

  @Test
  void borrowedQuotaIsReclaimedWhateverItsPriority() {
    running("own", "b", 9, 4);
    running("borrowed", "b", 8, 4);
    assertThat(victims(4, WithinQueue.NEVER, Reclaim.ANY)).containsExactly("borrowed RECLAIM");
  }

  /** Fails when members of a warm pool keep borrowed GPUs from a queue without preemption. */
  @Test
  void aMemberOfAWarmPoolReturnsBorrowedGpusToAQueueWithoutPreemption() {
    running("own", "b", 1, 4);
    running("member", "b", WarmMember.PRIORITY, 4);
    assertThat(victims(4, WithinQueue.NEVER, Reclaim.NEVER)).containsExactly("member RECLAIM");
  }

  /** Fails when a job of a user is evicted although a member of a warm pool could go. */
  @Test
  void aMemberOfAWarmPoolGoesBeforeJobsOfUsers() {
    running("member", "a", WarmMember.PRIORITY, 2);
    running("own", "b", 1, 4);
    running("borrowed", "b", 1, 2);
    assertThat(victims(2, WithinQueue.NEVER, Reclaim.ANY)).containsExactly("member WITHIN_QUEUE");
  }

  /** Fails when a member retains GPUs that the quota of its own queue covers. */
  @Test
  void aMemberOfAWarmPoolKeepsTheQuotaOfItsQueueFromOtherQueues() {
    running("member", "b", WarmMember.PRIORITY, 4);
    running("mine", "a", 1, 4);
    assertThat(victims(4, WithinQueue.NEVER, Reclaim.NEVER)).isEmpty();
  }

  /** Fails when a member of a warm pool, which has no user, evicts a job or another member. */
  @Test
  void aMemberOfAWarmPoolEvictsNoJob() {
    running("newer", "a", WarmMember.PRIORITY, 4);
    running("borrowed", "b", 1, 4);
    PreemptionRules rules =
        new PreemptionRules(WithinQueue.LOWER_OR_NEWER_EQUAL, Reclaim.ANY, false);
    Preemptor member =
        new Preemptor(
            world.id("a"),
            WarmMember.PRIORITY,
            -1,
            new TreeMap<>(Map.of(QuotaWorld.GPUS, 4L)),
            new TreeSet<QuotaCell>(List.of(QuotaWorld.GPUS)),
            rules);
    assertThat(running).noneMatch(member::mayEver);
  }

  @Test
  void queueWithinItsQuotaIsLeftAlone() {
    running("own", "b", 1, 4);
    running("mine", "a", 9, 4);
    assertThat(victims(2, WithinQueue.NEVER, Reclaim.ANY)).isEmpty();
  }

  // Fails when a whole gang is removed except for its members that still run: the small job would
  // then be evicted too.
  @Test
  void evictedGangReleasesItsOptionalMembers() {
    running("gang", "a", 1, 3);
    part("gang", "a", 1, 1);
    running("small", "a", 1, 1);
    running("other", "b", 1, 4);
    assertThat(victims(3, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER))
        .containsExactly("gang WITHIN_QUEUE");
  }

  @Test
  void partOfAGangIsEvictedBeforeTheGang() {
    running("gang", "a", 1, 3);
    part("gang", "a", 1, 1);
    running("other", "b", 1, 5);
    assertThat(victims(1, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER))
        .containsExactly("gang/part WITHIN_QUEUE");
  }

  // Fails without the second, backward pass: the first victim would be returned together with the
  // second, which suffices alone.
  @Test
  void victimMadeNeedlessByALaterOneStays() {
    running("small", "a", 1, 1);
    running("large", "a", 2, 3);
    running("other", "b", 1, 4);
    assertThat(victims(3, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER))
        .containsExactly("large WITHIN_QUEUE");
  }

  @Test
  void freedQuotaIsNotEnoughIfTheMembersFitOnNoNode() {
    running("low", "a", 1, 4);
    running("other", "b", 1, 4);
    VictimSearch search = new VictimSearch(tree(), running, room(gone -> false));
    assertThat(search.find(preemptor(4, WithinQueue.LOWER_PRIORITY, Reclaim.NEVER))).isEmpty();
  }

  @Test
  void treeIsUnchanged() {
    running("low", "a", 1, 4);
    running("borrowed", "b", 1, 4);
    QuotaTree tree = tree();
    new VictimSearch(tree, running, FreedCapacity.ENOUGH)
        .find(preemptor(4, WithinQueue.LOWER_PRIORITY, Reclaim.ANY));
    assertThat(tree.uses()).isEqualTo(tree().uses());
  }

  @Test
  void fairSharingEvictsAHigherShareOnlyWhileTheOwnShareStaysBelow() {
    running("x", "b", 1, 2);
    running("y", "b", 1, 2);
    running("z", "b", 1, 4);
    assertThat(fair(4)).containsExactly("z RECLAIM");
    assertThat(fair(7)).isEmpty();
  }

  /** Fails when FairVictimSearch considers only the queue of a victim, and not its groups. */
  @Test
  void underFairSharingAGroupRetainsItsQuotaWhateverElseItBorrows() {
    QuotaWorld groups = new QuotaWorld(10).queue("a", 8).group("g", 8, "b");
    RunningJob own = job("own", groups.id("b"), QuotaWorld.GPUS, 4);
    RunningJob borrows = job("borrows", groups.id("b"), QuotaWorld.OTHERS, 10);
    QuotaTree tree = groups.build(Map.of("b", 4L));
    tree.use(groups.id("b"), QuotaWorld.OTHERS, 10);
    FairVictimSearch search = fair(tree, List.of(own, borrows));
    assertThat(search.find(preemptor(groups.id("a"), 13))).isEmpty();

    tree.use(groups.id("b"), QuotaWorld.GPUS, 6);
    RunningJob lent = job("lent", groups.id("b"), QuotaWorld.GPUS, 6);
    search = fair(tree, List.of(own, borrows, lent));
    assertThat(told(search.find(preemptor(groups.id("a"), 8)))).containsExactly("own RECLAIM");
  }

  private static RunningJob job(String key, QuotaNodeId queue, QuotaCell cell, long amount) {
    return new RunningJob(
        key, key, queue, 1, amount, amount, false, new TreeMap<>(Map.of(cell, amount)));
  }

  private static Preemptor preemptor(QuotaNodeId queue, long asked) {
    return new Preemptor(
        queue,
        5,
        0,
        new TreeMap<>(Map.of(QuotaWorld.GPUS, asked)),
        new TreeSet<QuotaCell>(List.of(QuotaWorld.GPUS)),
        new PreemptionRules(WithinQueue.NEVER, Reclaim.ANY, true));
  }

  /**
   * Fails when other queues lose their own quota for an eviction that only the own queue permits.
   */
  @Test
  void otherQueueGivesOnlyTheMissingQuota() {
    QuotaWorld both = new QuotaWorld(10).queue("a", 4).queue("b", 4);
    QuotaTree tree = both.build(Map.of("b", 4L, "a", 4L));
    tree.use(both.id("b"), QuotaWorld.OTHERS, 10);
    RunningJob theirs = job("theirs", both.id("b"), QuotaWorld.GPUS, 4);
    RunningJob ours = job("ours", both.id("a"), QuotaWorld.OTHERS, 1);
    SortedSet<QuotaCell> gpus = new TreeSet<>(List.of(QuotaWorld.GPUS));
    SortedSet<QuotaCell> all = new TreeSet<>(List.of(QuotaWorld.GPUS, QuotaWorld.OTHERS));
    TreeMap<QuotaCell, Long> asks = new TreeMap<>(Map.of(QuotaWorld.GPUS, 1L));
    PreemptionRules rules = new PreemptionRules(WithinQueue.LOWER_PRIORITY, Reclaim.ANY, false);
    Preemptor waits = new Preemptor(both.id("a"), 5, 0, asks, gpus, all, rules);
    assertThat(waits.mayEvictOwn(ours)).isTrue();
    assertThat(new VictimSearch(tree, List.of(theirs), FreedCapacity.ENOUGH).find(waits)).isEmpty();
  }

  /** Fails when a queue protects a job by quota that its other jobs use. */
  @Test
  void otherQueueReturnsBorrowedResourcesThatNodesLack() {
    QuotaWorld both = new QuotaWorld(10).queue("a", 4).queue("b", 4);
    QuotaTree tree = both.build(Map.of("b", 4L, "a", 3L));
    tree.use(both.id("b"), QuotaWorld.OTHERS, 10);
    RunningJob owned = job("owned", both.id("b"), QuotaWorld.GPUS, 4);
    RunningJob taken = job("taken", both.id("b"), QuotaWorld.OTHERS, 10);
    SortedSet<QuotaCell> gpus = new TreeSet<>(List.of(QuotaWorld.GPUS));
    SortedSet<QuotaCell> all = new TreeSet<>(List.of(QuotaWorld.GPUS, QuotaWorld.OTHERS));
    TreeMap<QuotaCell, Long> asks =
        new TreeMap<>(Map.of(QuotaWorld.GPUS, 1L, QuotaWorld.OTHERS, 1L));
    PreemptionRules rules =
        new PreemptionRules(
            WithinQueue.NEVER, Reclaim.ANY, false, WhileBorrowing.LOWER_PRIORITY, null);
    Preemptor waits = new Preemptor(both.id("a"), 5, 0, asks, gpus, all, rules);
    VictimSearch search =
        new VictimSearch(tree, List.of(owned, taken), room(gone -> gone.contains(taken)));
    assertThat(told(search.find(waits))).containsExactly("taken WHILE_BORROWING");
  }

  /** Fails when a job evicts for resources that it does not lack. */
  @Test
  void underFairSharingAJobWithoutTheMissingResourceReclaimsFromItsBorrowersOnly() {
    QuotaWorld both = new QuotaWorld(10).queue("a", 4).queue("b", 4);
    QuotaTree tree = both.build(Map.of("b", 8L));
    tree.use(both.id("b"), QuotaWorld.OTHERS, 10);
    RunningJob lent = job("lent", both.id("b"), QuotaWorld.GPUS, 8);
    RunningJob beside = job("beside", both.id("b"), QuotaWorld.OTHERS, 10);
    SortedSet<QuotaCell> gpus = new TreeSet<>(List.of(QuotaWorld.GPUS));
    SortedSet<QuotaCell> all = new TreeSet<>(List.of(QuotaWorld.GPUS, QuotaWorld.OTHERS));
    TreeMap<QuotaCell, Long> asks =
        new TreeMap<>(Map.of(QuotaWorld.GPUS, 4L, QuotaWorld.OTHERS, 4L));
    PreemptionRules rules = new PreemptionRules(WithinQueue.NEVER, Reclaim.ANY, true);
    Preemptor waits = new Preemptor(both.id("a"), 5, 0, asks, gpus, all, rules);
    assertThat(fair(tree, List.of(lent, beside)).find(waits)).isEmpty();
  }

  private static FairVictimSearch fair(QuotaTree tree, List<RunningJob> running) {
    return new FairVictimSearch(
        tree,
        running,
        FreedCapacity.ENOUGH,
        List.of(FairVictimSearch.Strategy.NOT_ABOVE_AFTER, FairVictimSearch.Strategy.BELOW_BEFORE),
        new GroupShares(tree));
  }

  private List<String> fair(long asked) {
    QuotaTree tree = tree();
    FairVictimSearch search = fair(tree, running);
    return told(search.find(preemptor(asked, WithinQueue.NEVER, Reclaim.ANY)));
  }

  private List<String> victims(long asked, WithinQueue within, Reclaim reclaim) {
    return told(
        new VictimSearch(tree(), running, FreedCapacity.ENOUGH)
            .find(preemptor(asked, within, reclaim)));
  }

  /** Nodes that suffice when the predicate accepts the ended jobs. */
  static FreedCapacity room(Predicate<Set<RunningJob>> enough) {
    Set<RunningJob> all = new LinkedHashSet<>();
    return new FreedCapacity() {
      @Override
      public void gone(RunningJob job) {
        all.add(job);
      }

      @Override
      public void back(RunningJob job) {
        all.remove(job);
      }

      @Override
      public boolean fits() {
        return enough.test(all);
      }
    };
  }

  private static List<String> told(List<Victim> victims) {
    return victims.stream().map(v -> v.job().key() + " " + v.right()).toList();
  }

  private Preemptor preemptor(long asked, WithinQueue within, Reclaim reclaim) {
    return new Preemptor(
        world.id("a"),
        5,
        0,
        new TreeMap<>(Map.of(QuotaWorld.GPUS, asked)),
        new TreeSet<QuotaCell>(List.of(QuotaWorld.GPUS)),
        new PreemptionRules(within, reclaim, false));
  }

  private void running(String name, String queue, int priority, long gpus) {
    add(name, name, queue, priority, gpus);
  }

  private void part(String gang, String queue, int priority, long gpus) {
    add(gang + "/part", gang, queue, priority, gpus);
  }

  private void add(String key, String gang, String queue, int priority, long gpus) {
    running.add(
        new RunningJob(
            key,
            gang,
            world.id(queue),
            priority,
            100 - running.size(),
            running.size(),
            false,
            new TreeMap<>(Map.of(QuotaWorld.GPUS, gpus))));
  }

  private QuotaTree tree() {
    TreeMap<String, Long> used = new TreeMap<>();
    running.stream()
        .filter(job -> !job.part())
        .forEach(job ->
            used.merge(
                job.queue().equals(world.id("a")) ? "a" : "b",
                job.use().get(QuotaWorld.GPUS),
                Long::sum));
    return world.build(used);
  }
}
