package dev.fairlead.work.job.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.DecisionRecord.Kind;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Saving;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.PreemptionCount;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.job.store.ExplanationStore.Stored;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class ExplanationStoreContract {
  private Stores stores;
  private TestWorld world;

  /** Read once: between two reads the clock of a database may pass a second. */
  private Instant start;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    start = world.now().truncatedTo(ChronoUnit.SECONDS);
  }

  @Test
  void jobGetsTheExplanationOfItsClass() {
    Job job = world.submit(Specs.job("waits"));
    String key = world.uniqueName("class");
    Explanation rich = rich("needs 64 H100 in one block, largest free block 40");

    stores.explanations().put(Map.of(key, rich), Map.of(job.id(), key));

    Stored stored = stores.explanations().of(job.id()).orElseThrow();
    assertThat(stored.classKey()).isEqualTo(key);
    assertThat(stored.explanation()).isEqualTo(rich);
  }

  @Test
  void jobWithoutAnExplanationIsOmitted() {
    Job job = world.submit(Specs.job("new"));

    assertThat(stores.explanations().of(job.id())).isEmpty();
  }

  @Test
  void startEstimateOfAJobSurvivesAChangeOfItsClass() {
    Job job = world.submit(Specs.job("waits"));
    Job other = world.submit(Specs.job("other"));
    String before = world.uniqueName("before");
    String after = world.uniqueName("after");
    stores
        .explanations()
        .put(Map.of(before, rich("before")), Map.of(job.id(), before, other.id(), before));
    ExpectedStart start =
        new ExpectedStart(start(1), start(2), 40, 30, RunGroup.Level.SHAPE, this.start);

    stores.explanations().expect(Map.of(job.id(), start));
    stores.explanations().put(Map.of(after, rich("after")), Map.of(job.id(), after));

    assertThat(stores.explanations().of(job.id()).orElseThrow().expected()).isEqualTo(start);
    assertThat(stores.explanations().of(other.id()).orElseThrow().expected()).isNull();
  }

  private Instant start(int hours) {
    return start.plus(Duration.ofHours(hours));
  }

  @Test
  void jobsOfOneClassFollowItsChanges() {
    Job first = world.submit(Specs.job("first"));
    Job second = world.submit(Specs.job("second"));
    String key = world.uniqueName("class");
    stores
        .explanations()
        .put(Map.of(key, rich("before")), Map.of(first.id(), key, second.id(), key));

    stores.explanations().put(Map.of(key, rich("after")), Map.of());

    assertThat(message(first)).isEqualTo("after");
    assertThat(message(second)).isEqualTo("after");
  }

  @Test
  void explanationFollowsAJobToAnotherClass() {
    Job job = world.submit(Specs.job("moves"));
    String before = world.uniqueName("before");
    String after = world.uniqueName("after");
    stores.explanations().put(Map.of(before, rich("before")), Map.of(job.id(), before));

    stores.explanations().put(Map.of(after, rich("after")), Map.of(job.id(), after));

    assertThat(message(job)).isEqualTo("after");
  }

  @Test
  void sinceIsTheTimeAtWhichTheJobEnteredItsClass() {
    Job job = world.submit(Specs.job("waits"));
    String key = world.uniqueName("class");
    stores.explanations().put(Map.of(key, rich("before")), Map.of(job.id(), key));
    Stored first = stores.explanations().of(job.id()).orElseThrow();
    stores.advance(Duration.ofMinutes(5));

    stores.explanations().put(Map.of(key, rich("after")), Map.of(job.id(), key));
    assertThat(stores.explanations().of(job.id())).map(Stored::since).contains(first.since());

    String other = world.uniqueName("other");
    stores.explanations().put(Map.of(other, rich("other")), Map.of(job.id(), other));
    assertThat(stores.explanations().of(job.id()).orElseThrow().since()).isAfter(first.since());
  }

  @Test
  void jobsWithoutExplanationAreOmittedFromTheList() {
    Job explained = world.submit(Specs.job("explained"));
    Job silent = world.submit(Specs.job("silent"));
    String key = world.uniqueName("class");
    stores.explanations().put(Map.of(key, rich("why")), Map.of(explained.id(), key));

    Map<JobId, Stored> found =
        stores.explanations().of(world.tenant().id(), List.of(explained.id(), silent.id()));

    assertThat(found).containsOnlyKeys(explained.id());
    assertThat(stores.explanations().of(world.tenant().id(), List.of())).isEmpty();
  }

  /** Fails when part of a body is lost in transit. */
  @Test
  void decisionsOfAJobAreReadInOrder() {
    Job job = world.submit(Specs.job("decided"));
    DecisionRecord waited = waited(job, -1, "needs 64 H100 in one block");
    DecisionRecord placed = new DecisionRecord(job.id(), at(0), placed());
    DecisionRecord unreachable = new DecisionRecord(job.id(), at(1), unreachable(false));
    DecisionRecord seen = new DecisionRecord(job.id(), at(2), unreachable(true));
    DecisionRecord evicted = new DecisionRecord(job.id(), at(3), evicted(job.id()));

    assertThat(stores.explanations().keep(List.of(waited, placed, unreachable, seen, evicted)))
        .isTrue();

    assertThat(decisions(job)).containsExactly(waited, placed, unreachable, seen, evicted);
    assertThat(stores.explanations().decisions(world.tenant().id(), other().id())).isEmpty();
  }

  /** Fails when a page loses a decision, or has one of another tenant or time. */
  @Test
  void decisionsOfATenantAreReadByPage() {
    Job first = world.submit(Specs.job("first"));
    Job second = world.submit(Specs.job("second"));
    DecisionRecord before = new DecisionRecord(first.id(), at(-9), placed());
    DecisionRecord one = new DecisionRecord(first.id(), at(0), placed());
    DecisionRecord two = new DecisionRecord(second.id(), at(1), placed());
    DecisionRecord three = new DecisionRecord(first.id(), at(2), evicted(null));
    DecisionRecord after = new DecisionRecord(second.id(), at(9), evicted(null));
    stores.explanations().keep(List.of(before, one, two, three, after));

    List<DecisionRange.Row> pages = new ArrayList<>();
    DecisionRange.Place place = DecisionRange.Place.START;
    List<DecisionRange.Row> page;
    do {
      page = decided(world, place, 2);
      pages.addAll(page);
      place = page.isEmpty() ? place : page.getLast().place();
    } while (!page.isEmpty());

    assertThat(pages).extracting(DecisionRange.Row::decision).containsExactly(one, two, three);
    assertThat(pages.get(1).name()).isEqualTo("second");
    assertThat(pages.get(1).project()).isEqualTo(second.project());
    assertThat(decided(TestWorld.in(stores), DecisionRange.Place.START, 9)).isEmpty();
  }

  private List<DecisionRange.Row> decided(TestWorld of, DecisionRange.Place after, int most) {
    return stores
        .explanations()
        .decided(of.tenant().id(), new DecisionRange(at(0), at(9), after, most));
  }

  /** Fails when a decision precedes the one that it follows, of this call or an earlier one. */
  @Test
  void backwardClockStepKeepsTheOrder() {
    Job job = world.submit(Specs.job("decided"));
    DecisionRecord placed = new DecisionRecord(job.id(), at(10), placed());
    DecisionRecord evicted = new DecisionRecord(job.id(), at(5), evicted(null));
    DecisionRecord again = new DecisionRecord(job.id(), at(7), placed());

    stores.explanations().keep(List.of(placed, evicted));
    stores.explanations().keep(List.of(again));

    assertThat(decisions(job))
        .extracting(d -> d.body().kind(), DecisionRecord::at)
        .containsExactly(
            tuple(Kind.PLACED, at(10)), tuple(Kind.EVICTED, at(10)), tuple(Kind.PLACED, at(10)));
  }

  /** Fails when two waits with a suspension between them become one. */
  @Test
  void waitBegunEarlierIsStoredAfterOneWithTheSameReason() {
    Job job = world.submit(Specs.job("waits"));
    DecisionRecord first = waited(job, 0, "40 free");
    DecisionRecord second =
        new DecisionRecord(job.id(), at(9), DecisionRecord.Waited.of(rich("41 free"), true));

    stores.explanations().keep(List.of(first));
    stores.explanations().keep(List.of(second));

    assertThat(decisions(job)).containsExactly(first, second);
  }

  /** Fails when a scheduler that takes over records current waits again. */
  @Test
  void waitIsStoredOncePerReason() {
    Job job = world.submit(Specs.job("waits"));
    DecisionRecord first = waited(job, 0, "40 free");
    DecisionRecord moved = new DecisionRecord(job.id(), at(2), evicted(null));
    DecisionRecord again = waited(job, 3, "42 free");

    stores.explanations().keep(List.of(first));
    stores.explanations().keep(List.of(waited(job, 1, "41 free")));
    stores.explanations().keep(List.of(moved));
    stores.explanations().keep(List.of(again));

    assertThat(decisions(job)).containsExactly(first, moved, again);
  }

  /** Fails when an invalid time of one job prevents the decisions of others. */
  @Test
  void startWithoutADatabaseTimestampLosesNoDecision() {
    Job job = world.submit(Specs.job("last"));
    String key = world.uniqueName("class");
    stores.explanations().put(Map.of(key, rich("long")), Map.of(job.id(), key));
    Instant far = Instant.parse("+10226-01-01T00:00:00Z");
    stores
        .explanations()
        .expect(
            Map.of(
                job.id(), new ExpectedStart(start(1), far, 40, 30, RunGroup.Level.SHAPE, start)));

    stores.explanations().keep(List.of(waited(job, 0, "40 free")));

    assertThat(stores.explanations().decisions(world.tenant().id(), job.id())).hasSize(1);
  }

  /**
   * Fails when an estimate is lost at the start of its job, or repeated for the wait after an
   * eviction.
   */
  @Test
  void decisionContainsTheStartEstimate() {
    Job job = world.submit(Specs.job("told"));
    stores.explanations().put(Map.of("told", rich("40 free")), Map.of(job.id(), "told"));
    stores
        .explanations()
        .expect(
            Map.of(
                job.id(),
                new ExpectedStart(at(600), at(1200), 30, 40, RunGroup.Level.SHAPE, at(60))));
    stores.explanations().keep(List.of(waited(job, 0, "40 free")));
    stores.explanations().keep(List.of(new DecisionRecord(job.id(), at(700), placed())));
    stores.explanations().keep(List.of(new DecisionRecord(job.id(), at(800), evicted(null))));
    stores.explanations().keep(List.of(waited(job, 900, "41 free")));

    DecisionRecord.Expected told = new DecisionRecord.Expected(at(600), at(1200));
    assertThat(decisions(job))
        .extracting(DecisionRecord::expected)
        .containsExactly(told, told, null, null);
  }

  /** Fails when only the text of a move back is stored. */
  @Test
  void savingOfAMoveBackIsStored() {
    Job job = world.submit(Specs.job("dear"));
    Saving saving =
        new Saving(
            new Flavor("H100", CapacityType.ON_DEMAND),
            "dear",
            new Flavor("H100", CapacityType.RESERVED),
            "reserved",
            new Money(24_000_000, "USD"),
            new Money(8_000_000, "USD"));
    DecisionRecord moved =
        new DecisionRecord(
            job.id(),
            at(0),
            new DecisionRecord.Evicted(
                0,
                1,
                1,
                StopCause.PREEMPTION,
                EvictionRight.MOVED_BACK,
                saving.text(),
                8,
                null,
                saving));

    stores.explanations().keep(List.of(moved));

    assertThat(decisions(job)).containsExactly(moved);
  }

  /** Fails when decisions of one job grow without bound, or one kind displaces the others. */
  @Test
  void newestDecisionsOfEachKindAreRetained() {
    Job job = world.submit(Specs.job("often"));
    List<DecisionRecord> all = new ArrayList<>();
    all.add(waited(job, 0, "40 free"));
    all.add(new DecisionRecord(job.id(), at(1), placed()));
    for (int i = 0; i < Kind.EVICTED.most() + 5; i++) {
      all.add(new DecisionRecord(job.id(), at(2 + i), evicted(null)));
    }

    stores.explanations().keep(all);

    List<DecisionRecord> kept = new ArrayList<>(all.subList(0, 2));
    kept.addAll(all.subList(7, all.size()));
    assertThat(decisions(job)).containsExactlyElementsOf(kept);
  }

  /**
   * Fails when counts replace earlier counts, or counts of another priority or day are returned.
   */
  @Test
  void startsAndPreemptionsOfAQueueAndPriorityAddUp() {
    Job job = world.submit(Specs.job("counted"));
    PreemptionCount.Of starts = counted(job.queue(), 100, null);
    PreemptionCount.Of reclaimed = counted(job.queue(), 100, EvictionRight.RECLAIM);
    PreemptionCount.Of other = counted(job.queue(), 500, null);

    stores
        .explanations()
        .keep(
            List.of(), List.of(new PreemptionCount(starts, 3), new PreemptionCount(reclaimed, 1)));
    stores
        .explanations()
        .keep(List.of(), List.of(new PreemptionCount(starts, 2), new PreemptionCount(other, 7)));

    assertThat(stores.explanations().counted(world.tenant().id(), job.queue(), 100, 28))
        .containsExactly(new PreemptionCount(starts, 5), new PreemptionCount(reclaimed, 1));
  }

  private static PreemptionCount.Of counted(
      QuotaNodeId queue, int priority, @Nullable EvictionRight right) {
    return new PreemptionCount.Of(
        queue, priority, new Flavor("H100", CapacityType.RESERVED), right);
  }

  private Job other() {
    return world.submit(Specs.job("other"));
  }

  private Instant at(int seconds) {
    return start.plusSeconds(seconds);
  }

  private List<DecisionRecord> decisions(Job job) {
    return stores.explanations().decisions(world.tenant().id(), job.id());
  }

  private DecisionRecord waited(Job job, int seconds, String message) {
    return new DecisionRecord(
        job.id(), at(seconds), DecisionRecord.Waited.of(rich(message), false));
  }

  private DecisionRecord.Unreachable unreachable(boolean again) {
    return new DecisionRecord.Unreachable(again, 0, 1, 1, world.cluster().id(), 2, List.of("n1"));
  }

  private static DecisionRecord.Evicted evicted(@Nullable JobId by) {
    EvictionRight right = EvictionRight.RECLAIM;
    return new DecisionRecord.Evicted(
        0, 1, 1, StopCause.PREEMPTION, right, right.text(), 8, by, null);
  }

  private DecisionRecord.Placed placed() {
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    return new DecisionRecord.Placed(
        0,
        1,
        1,
        new DecisionRecord.Place(
            world.cluster().id(), 2, 16_000, 2, List.of("n1", "n2"), List.of(flavor)),
        List.of(
            new DecisionRecord.QuotaState("research", 3, flavor, 20_000, 16_000L, 4_000, 250L),
            new DecisionRecord.QuotaState("root", 1, flavor, 20_000, null, 0, null)),
        new TreeMap<>(Map.of(EvictionRight.RECLAIM, 2)),
        new UsedTier(2, UsedTier.Cause.WAIT_OVER, Duration.ofMinutes(10)));
  }

  private String message(Job job) {
    return stores.explanations().of(job.id()).orElseThrow().explanation().first().message();
  }

  private Explanation rich(String message) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("needed", 64L);
    numbers.put("largestFree", 40L);
    SortedMap<String, Integer> filtered = new TreeMap<>();
    filtered.put("model", 8);
    Blocker.Scope scope = new Blocker.Scope(Blocker.Scope.Kind.CLUSTER, "eu-1");
    return new Explanation(
        world.now(),
        List.of(
            new Blocker(Reason.TOPOLOGY, scope, message, numbers, null),
            new Blocker(Reason.CAPACITY, scope, "no room", new TreeMap<>(), "request less")),
        List.of(new NearMiss("workers", "8", "5", "starts now on eu-1")),
        List.of(
            new ClusterVerdict(
                "eu-1",
                "research",
                new Flavor("H100", CapacityType.RESERVED),
                16,
                filtered,
                new TreeMap<>(),
                new ClusterVerdict.BestDomain("block", "b1", 5, 8))),
        new Explanation.Estimate(world.now(), world.now().plusSeconds(600), "maxRuntime"));
  }
}
