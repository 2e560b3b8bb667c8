package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ExplanationKeeperTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Job job = world.submit(Specs.job("waits"));
  private long nanos;
  private final ExplanationKeeper one = keeper("one");
  private final ExplanationKeeper other = keeper("other");

  private ExplanationKeeper keeper(String process) {
    return keeper(process, stores.explanations());
  }

  private ExplanationKeeper keeper(String process, ExplanationStore store) {
    LeaseTimes times =
        new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));
    return new ExplanationKeeper(
        stores.transactions(), store, new Leases(stores.leases(), times, () -> nanos, process));
  }

  private Plan because(Reason reason) {
    return because(reason, List.of(blocker(reason, reason.name())));
  }

  private Blocker blocker(Reason reason, String message) {
    Scope scope = new Scope(Scope.Kind.JOB, job.id().text());
    return new Blocker(reason, scope, message, new TreeMap<>(), null);
  }

  private Plan because(Reason reason, List<Blocker> blockers) {
    Explanation text =
        new Explanation(stores.clock().instant(), blockers, List.of(), List.of(), null);
    return Plan.of(
        stores.clock().instant(),
        List.of(new Decision.Hold(job.id(), job.version(), reason.name())),
        new TreeMap<>(Map.of(reason.name(), text)),
        List.of());
  }

  private Reason stored() {
    return stores.explanations().of(job.id()).orElseThrow().explanation().first().reason();
  }

  private HeldLease next(String holder) {
    return stores
        .leases()
        .read("scheduler")
        .map(row -> stores.leases().takeOver(row, holder).orElseThrow())
        .orElseGet(() -> stores.leases().create("scheduler", holder).orElseThrow());
  }

  /** Fails when text that was stored under an earlier epoch counts as stored. */
  @Test
  void newLeaderRewritesExplanationsOfAnother() {
    one.keep(next("one"), because(Reason.NEVER_FITS));
    other.keep(next("other"), because(Reason.CLUSTER_UNAVAILABLE));

    one.keep(next("one"), because(Reason.NEVER_FITS));

    assertThat(stored()).isEqualTo(Reason.NEVER_FITS);
  }

  /** Fails without the fence. */
  @Test
  void deposedLeaderWritesNothing() {
    HeldLease old = next("one");
    other.keep(next("other"), because(Reason.NEVER_FITS));

    assertThatThrownBy(() -> one.keep(old, because(Reason.CLUSTER_UNAVAILABLE)))
        .isInstanceOf(FenceLost.class);
    assertThat(stored()).isEqualTo(Reason.NEVER_FITS);
  }

  /** Fails when a class with an unchanged first reason retains an old price. */
  @Test
  void newPriceIsStoredEvenIfTheFirstReasonIsUnchanged() {
    HeldLease lease = next("one");
    one.keep(lease, costing("4.00 USD"));
    nanos += Duration.ofSeconds(10).toNanos();

    one.keep(lease, costing("3.50 USD"));

    assertThat(stores.explanations().of(job.id()).orElseThrow().explanation().blockers())
        .extracting(Blocker::message)
        .containsExactly("no room", "costs 3.50 USD");
  }

  /** Fails when each report of progress stores the texts again, or a new start is not stored. */
  @Test
  void estimateIsStoredAgainOnceItMovedByMoreThanTwoPercent() {
    HeldLease lease = next("one");
    Duration wait = Duration.ofHours(10);
    one.keep(lease, starting(wait));
    nanos += Duration.ofSeconds(10).toNanos();
    one.keep(lease, starting(wait.plusMinutes(12)));
    assertThat(start()).isEqualTo(stores.clock().instant().plus(wait));

    Duration later = wait.plusMinutes(13);
    one.keep(lease, starting(later));
    assertThat(start()).isEqualTo(stores.clock().instant().plus(later));
    nanos += Duration.ofSeconds(10).toNanos();
    one.keep(lease, because(Reason.CAPACITY));
    assertThat(stores.explanations().of(job.id()).orElseThrow().explanation().estimate()).isNull();
  }

  private Plan starting(Duration wait) {
    Instant at = stores.clock().instant().plus(wait);
    Plan plan = because(Reason.CAPACITY);
    SortedMap<String, Explanation> texts = new TreeMap<>();
    plan.explanations()
        .forEach((key, text) ->
            texts.put(key, text.with(new Explanation.Estimate(at, at, "no job is added"))));
    return Plan.of(plan.asOf(), plan.decisions(), texts, List.of());
  }

  private Instant start() {
    return stores.explanations().of(job.id()).orElseThrow().explanation().estimate().p50();
  }

  /** Fails when each change of the first reason is recorded, or none is. */
  @Test
  void newReasonIsRecordedAfterAMinute() {
    HeldLease lease = next("one");
    one.keep(lease, because(Reason.CAPACITY));
    stores.advance(Duration.ofSeconds(61));
    one.keep(lease, because(Reason.CAPACITY));
    one.keep(lease, because(Reason.QUOTA));
    stores.advance(Duration.ofSeconds(30));
    one.keep(lease, because(Reason.CAPACITY));
    one.keep(lease, because(Reason.QUOTA));
    stores.advance(Duration.ofSeconds(61));

    assertThat(recorded()).containsExactly(Reason.CAPACITY);
    one.waiting(lease, stores.clock().instant());

    assertThat(recorded()).containsExactly(Reason.CAPACITY, Reason.QUOTA);
  }

  /** Fails when the next scheduler records the same wait again. */
  @Test
  void aWaitIsRecordedOnceAcrossAChangeOfTheScheduler() {
    HeldLease lease = next("one");
    one.keep(lease, because(Reason.CAPACITY));
    stores.advance(Duration.ofSeconds(61));
    one.waiting(lease, stores.clock().instant());
    HeldLease taken = next("other");
    other.keep(taken, because(Reason.CAPACITY));
    stores.advance(Duration.ofSeconds(61));

    other.waiting(taken, stores.clock().instant());

    assertThat(recorded()).containsExactly(Reason.CAPACITY);
  }

  /** Fails without the limit: an alternating reason would fill the records. */
  @Test
  void afterTheFirstChangeAReasonIsRecordedOnceAnHour() {
    HeldLease lease = next("one");
    for (Reason reason : List.of(Reason.CAPACITY, Reason.QUOTA, Reason.CAPACITY)) {
      one.keep(lease, because(reason));
      stores.advance(Duration.ofSeconds(61));
      one.waiting(lease, stores.clock().instant());
    }
    assertThat(recorded()).containsExactly(Reason.CAPACITY, Reason.QUOTA);

    stores.advance(Duration.ofHours(1));
    one.waiting(lease, stores.clock().instant());

    assertThat(recorded()).containsExactly(Reason.CAPACITY, Reason.QUOTA, Reason.CAPACITY);
  }

  /** Fails when the wait of a job continues across a suspension or another pause. */
  @Test
  void waitThatBeginsAgainIsAnotherRecord() {
    HeldLease lease = next("one");
    Plan none = Plan.of(stores.clock().instant(), List.of(), new TreeMap<>(), List.of());
    for (int i = 0; i < 2; i++) {
      one.keep(lease, because(Reason.CAPACITY));
      stores.advance(Duration.ofSeconds(61));
      one.waiting(lease, stores.clock().instant());
      one.keep(lease, none);
    }

    assertThat(recorded()).containsExactly(Reason.CAPACITY, Reason.CAPACITY);
  }

  /** Fails when an array with one started element counts as running as a whole. */
  @Test
  void remainingElementsOfAnArrayWaitAgainAfterAStart() {
    HeldLease lease = next("one");
    one.keep(lease, because(Reason.CAPACITY));
    stores.advance(Duration.ofSeconds(61));
    Plan held = because(Reason.CAPACITY);
    one.keep(lease, held);
    List<Decision> both = new ArrayList<>(held.decisions());
    both.add(
        new Decision.Place(
            job.id(),
            job.version(),
            0,
            world.cluster().id(),
            List.of(),
            List.of(),
            List.of(),
            null));

    one.keep(lease, Plan.of(stores.clock().instant(), both, held.explanations(), List.of()));
    one.keep(lease, because(Reason.CAPACITY));
    assertThat(recorded()).hasSize(1);
    stores.advance(Duration.ofSeconds(61));
    one.waiting(lease, stores.clock().instant());

    assertThat(recorded()).containsExactly(Reason.CAPACITY, Reason.CAPACITY);
  }

  /** Fails when errors of the scheduler itself become part of a job's history. */
  @Test
  void unconsideredJobIsNotRecorded() {
    HeldLease lease = next("one");
    one.keep(lease, because(Reason.NOT_EVALUATED));
    stores.advance(Duration.ofSeconds(61));
    one.keep(lease, because(Reason.NOT_EVALUATED));

    assertThat(recorded()).isEmpty();
  }

  /** Fails when a failing history ends the pass, or is forgotten. */
  @Test
  void failedRecordIsRetriedTenSecondsLater() {
    AtomicBoolean broken = new AtomicBoolean(true);
    ExplanationKeeper keeper = keeper("one", failing(broken));
    HeldLease lease = next("one");
    keeper.keep(lease, because(Reason.CAPACITY));
    stores.advance(Duration.ofSeconds(61));

    keeper.keep(lease, because(Reason.CAPACITY));
    broken.set(false);
    keeper.waiting(lease, stores.clock().instant());
    assertThat(recorded()).isEmpty();

    stores.advance(Duration.ofSeconds(10));
    keeper.waiting(lease, stores.clock().instant());
    assertThat(recorded()).containsExactly(Reason.CAPACITY);
  }

  private ExplanationStore failing(AtomicBoolean broken) {
    return (ExplanationStore)
        Proxy.newProxyInstance(
            ExplanationStore.class.getClassLoader(),
            new Class<?>[] {ExplanationStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("keep") && broken.get()) {
                throw new IllegalStateException("no table");
              }
              return method.invoke(stores.explanations(), arguments);
            });
  }

  private List<Reason> recorded() {
    return stores.explanations().decisions(world.tenant().id(), job.id()).stream()
        .map(DecisionRecord::reason)
        .toList();
  }

  private Plan costing(String price) {
    return because(
        Reason.CAPACITY,
        List.of(blocker(Reason.CAPACITY, "no room"), blocker(Reason.ROUTING, "costs " + price)));
  }
}
