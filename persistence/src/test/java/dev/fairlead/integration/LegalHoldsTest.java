package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.retention.RetentionStore.Kind;
import dev.fairlead.people.legalhold.LegalHold;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The rows that a legal hold retains, and the time from which it applies. */
class LegalHoldsTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private LegalHold hold(
      @Nullable ProjectId project,
      @Nullable JobId job,
      @Nullable Instant from,
      @Nullable Instant to) {
    LegalHold.Change change = new LegalHold.Change(world.now(), "ana");
    return new LegalHold(world.tenant().id(), "case-7", "why", project, job, from, to, change);
  }

  private Instant ago(int days) {
    return world.now().minus(Duration.ofDays(days));
  }

  private static DecisionRecord evicted(Job job, Instant at) {
    EvictionRight right = EvictionRight.RECLAIM;
    return new DecisionRecord(
        job.id(),
        at,
        new DecisionRecord.Evicted(
            0, 1, 1, StopCause.PREEMPTION, right, right.text(), 8, null, null));
  }

  private Job decided(TestWorld of, int... daysAgo) {
    Job job = of.submit(Specs.job(of.uniqueName("old")));
    IntStream.of(daysAgo)
        .forEach(days -> stores.explanations().keep(List.of(evicted(job, ago(days)))));
    return job;
  }

  private int left(TestWorld of, Job job) {
    return stores.explanations().decisions(of.tenant().id(), job.id()).size();
  }

  private void sweep() {
    while (stores.bean(RetentionStore.class).clear(Kind.DECISIONS, Ages.DEFAULT, 2) > 0) {}
  }

  /** Fails when retention deletes jobs under a legal hold, or retains jobs without one. */
  @Test
  void decisionsUnderALegalHoldStayBeyondTheirAge() {
    TestWorld other = TestWorld.in(stores);
    Job held = decided(world, 500, 450, 400);
    Job beside = decided(world, 450);
    Job theirs = decided(other, 450);
    stores.legalHolds().put(hold(null, held.id(), ago(480), ago(420)));

    sweep();
    assertThat(List.of(left(world, held), left(world, beside), left(other, theirs)))
        .containsExactly(1, 0, 0);

    stores.legalHolds().remove(hold(null, null, null, null));
    sweep();
    assertThat(left(world, held)).isZero();
  }

  /** Fails when a hold of a project or tenant does not cover the decisions of its jobs. */
  @Test
  void holdOfAProjectOrTenantRetainsDecisionsOfAllItsJobs() {
    Job job = decided(world, 450);
    stores.legalHolds().put(hold(job.project(), null, null, null));
    sweep();
    assertThat(left(world, job)).isEqualTo(1);

    stores.legalHolds().put(hold(null, null, null, null));
    sweep();
    assertThat(left(world, job)).isEqualTo(1);
  }

  /** Fails when the newest rows of a busy job displace rows under a legal hold. */
  @Test
  void newerDecisionsDisplaceNoneUnderALegalHold() {
    Job held = world.submit(Specs.job("busy"));
    Job beside = world.submit(Specs.job("beside"));
    stores.legalHolds().put(hold(null, held.id(), null, null));
    int most = DecisionRecord.Kind.EVICTED.most();
    for (Job job : List.of(held, beside)) {
      for (int i = 0; i < most + 3; i++) {
        stores.explanations().keep(List.of(evicted(job, world.now())));
      }
    }

    assertThat(left(world, held)).isEqualTo(most + 3);
    assertThat(left(world, beside)).isEqualTo(most);
  }

  /**
   * Fails when a deletion that passed its check continues next to a new hold, and commits after it.
   */
  @Test
  void holdWaitsForAnEarlierDeletion() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch deleted = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> deletion =
          threads.submit(() ->
              stores
                  .transactions()
                  .run(() -> {
                    assertThat(stores.legalHolds().inForce(world.tenant().id())).isEmpty();
                    asked.countDown();
                    Assertions.assertThatCode(deleted::await).doesNotThrowAnyException();
                  }));
      asked.await();
      Future<?> put =
          threads.submit(() ->
              stores
                  .transactions()
                  .run(() -> {
                    stores.legalHolds().locked(world.tenant().id());
                    stores.legalHolds().put(hold(null, null, null, null));
                  }));
      Assertions.assertThatThrownBy(() -> put.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      deleted.countDown();
      deletion.get();
      put.get();
    }
    assertThat(stores.legalHolds().all(world.tenant().id())).hasSize(1);
  }
}
