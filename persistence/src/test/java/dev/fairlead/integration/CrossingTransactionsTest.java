package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Concurrent transactions, which only a real database has. */
class CrossingTransactionsTest {
  private static final int WRITERS = 4;
  private static final int EACH = 50;
  private static final int POOL = 20; // fairlead.database.loop-connections here
  private static final long BOUND_SECONDS = 60;

  private PostgresInstallation stores;
  private TestWorld world;

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = Embedded.installation();
    world = TestWorld.in(stores);
  }

  @Test
  void aDeadlockRepeatsTheWholeWork() throws Exception {
    // Fails when 40P01 is not retried: one of the two is always the victim.
    Job first = world.submit(Specs.job("first"));
    Job second = world.submit(Specs.job("second"));
    CyclicBarrier bothHoldOne = new CyclicBarrier(2);
    AtomicInteger tries = new AtomicInteger();

    atOnce(
        List.of(
            () -> lockBoth(first, second, bothHoldOne, tries),
            () -> lockBoth(second, first, bothHoldOne, tries)));

    // Two first tries and a repeat. On a slow server both may become deadlock victims, or one may
    // twice.
    assertThat(tries.get()).isBetween(3, 10);
  }

  @Test
  void deposedWriterPausedBeforeItsTransactionWritesNothing() {
    // The epoch was current when the work began. The fence row decides when the transaction begins.
    HeldLease old = stores.leases().create(world.uniqueName("scheduler"), "a").orElseThrow();
    Job job = world.newJob(Specs.job("late").build());
    LeaseRow seen = stores.leases().read(old.name()).orElseThrow();
    assertThat(stores.leases().takeOver(seen, "b")).isPresent();

    assertThatExceptionOfType(FenceLost.class)
        .isThrownBy(() ->
            stores
                .transactions()
                .runFenced(old, () -> stores.jobs().append(List.of(JobTransitions.submit(job)))));
    assertThat(stores.jobs().find(world.tenant().id(), job.id())).isEmpty();
  }

  @Test
  void renewalDoesNotWaitForTheWorkOfItsHolder() {
    // Fails when a renewal touches the row that transactions lock.
    HeldLease held = stores.leases().create(world.uniqueName("scheduler"), "a").orElseThrow();

    boolean renewed =
        stores
            .transactions()
            .callFenced(held, () -> stores.leases().renew(held, false).isPresent());

    assertThat(renewed).isTrue();
  }

  @Test
  void renewalFindsAConnectionWhenAllOthersAreInUse() throws Exception {
    // Fails when leases share the connection pool of requests: the renewal would wait until the
    // lease is lost.
    HeldLease held = stores.leases().create(world.uniqueName("scheduler"), "a").orElseThrow();
    CyclicBarrier allTaken = new CyclicBarrier(POOL + 1);
    CyclicBarrier done = new CyclicBarrier(POOL + 1);
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int i = 0; i < POOL; i++) {
      work.add(() -> holdAConnection(allTaken, done));
    }
    work.add(() -> {
      await(allTaken);
      boolean renewed = stores.leases().renew(held, false).isPresent();
      await(done);
      return renewed;
    });

    atOnce(work);
  }

  @Test
  void readerMissesNoEventOfManyWriters() throws Exception {
    // Fails when readers order by sequence number: a number is assigned early and committed late.
    EventPosition start = stores.events().head();
    List<EventRecord> read = new ArrayList<>();
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      String name = "writer-" + i + "-";
      work.add(() -> submitInTwoSteps(name));
    }
    work.add(() -> follow(start, read));

    atOnce(work);

    List<EventRecord> mine =
        read.stream().filter(e -> e.tenant().equals(world.tenant().id())).toList();
    assertThat(mine).hasSize(WRITERS * EACH * 2);
    assertThat(read).extracting(EventRecord::position).isSorted().doesNotHaveDuplicates();
    assertThat(mine).extracting(EventRecord::subjectId).doesNotContainNull();
  }

  @Test
  void oldOpenTransactionDelaysTheReader() {
    EventPosition start = stores.events().head();

    stores
        .transactions()
        .run(() -> {
          stores.jdbc().sql("SELECT pg_current_xact_id()::text").query(String.class).single();
          submitElsewhere("younger");
          assertThat(stores.events().after(start, 10)).isEmpty();
        });

    assertThat(stores.events().after(start, 10)).isNotEmpty();
  }

  @Test
  void eventsOfAJobAreInTheOrderOfItsVersions() {
    // Fails when an event has its own transaction's number as position: here the older transaction
    // writes last.
    Job job = world.submit(Specs.job("patched"));
    EventPosition start = stores.events().head();

    stores
        .transactions()
        .run(() -> {
          stores.jdbc().sql("SELECT pg_current_xact_id()::text").query(String.class).single();
          elsewhere(() -> patch(job));
          elsewhere(() -> patch(job));
          patch(job);
          assertThat(stores.events().after(start, 10)).isEmpty();
        });

    List<EventRecord> list =
        stores.events().of(world.tenant().id(), IdKind.JOB, job.id().value(), start, 10);
    assertThat(list).extracting(EventRecord::version).containsExactly(2L, 3L, 4L);
    assertThat(stores.events().after(start, 10)).isEqualTo(list);
    assertThat(stores.events().after(list.get(1).position(), 10)).isEqualTo(list.subList(2, 3));
  }

  private void patch(Job job) {
    stores
        .transactions()
        .run(() -> {
          Job now = stores.jobs().lock(List.of(job.id())).getFirst();
          stores
              .jobs()
              .append(
                  List.of(
                      OwnerTransitions.patch(
                          now, now.spec(), List.of("priority"), TestWorld.ACTOR)));
        });
  }

  @Test
  void incarnationEndsWithItsWritingTransactions() throws Exception {
    // Fails when the incarnation is raised during an open transaction: its events would appear
    // behind readers that have already passed.
    try (PostgresInstallation own =
            PostgresInstallation.on(
                Embedded.migratedDatabase(),
                Embedded.server().user(),
                Embedded.server().password());
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      TestWorld there = TestWorld.in(own);
      Future<Boolean> raised =
          own.transactions()
              .call(() -> {
                there.submit(Specs.job("open"));
                Future<Boolean> raising =
                    other.submit(() -> own.leases().raiseIncarnation(own.leases().incarnation()));
                untilOneWaits(own);
                return raising;
              });
      assertThat(raised.get(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
      there.submit(Specs.job("new"));

      assertThat(own.events().after(EventPosition.START, 10))
          .extracting(e -> e.position().transaction() >>> 48)
          .containsExactly(1L, 2L);
    }
  }

  private static void untilOneWaits(PostgresInstallation own) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
    String waiting =
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass";
    while (own.jdbc().sql(waiting).query(Long.class).single() == 0) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  private boolean holdAConnection(CyclicBarrier allTaken, CyclicBarrier done) {
    return stores
        .transactions()
        .call(() -> {
          stores.jdbc().sql("SELECT 1").query(Integer.class).single();
          await(allTaken);
          await(done);
          return true;
        });
  }

  private void submitElsewhere(String name) {
    elsewhere(() -> world.submit(Specs.job(name)));
  }

  private static void elsewhere(Runnable work) {
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      other.submit(work).get(BOUND_SECONDS, TimeUnit.SECONDS);
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  private boolean lockBoth(Job one, Job other, CyclicBarrier bothHoldOne, AtomicInteger tries) {
    return stores
        .transactions()
        .call(() -> {
          int attempt = tries.incrementAndGet();
          stores.jobs().lock(List.of(one.id()));
          if (attempt <= 2) {
            await(bothHoldOne);
          }
          return !stores.jobs().lock(List.of(other.id())).isEmpty();
        });
  }

  /** Two facts of a job in one transaction, so that numbers of several writers interleave. */
  private boolean submitInTwoSteps(String name) {
    for (int i = 0; i < EACH; i++) {
      Job job = world.newJob(Specs.job(name + i).build());
      stores
          .transactions()
          .run(() -> {
            stores.jobs().append(List.of(JobTransitions.submit(job)));
            stores
                .jobs()
                .append(
                    List.of(
                        JobTransitions.cancel(job, false, world.now(), TestWorld.ACTOR)
                            .orElseThrow()));
          });
    }
    return true;
  }

  private boolean follow(EventPosition start, List<EventRecord> read) {
    EventPosition position = start;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
    long mine = 0;
    while (mine < (long) WRITERS * EACH * 2 && System.nanoTime() < deadline) {
      for (EventRecord event : stores.events().after(position, 37)) {
        read.add(event);
        position = event.position();
        mine += event.tenant().equals(world.tenant().id()) ? 1 : 0;
      }
    }
    return true;
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(BOUND_SECONDS, TimeUnit.SECONDS);
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  private static void atOnce(List<Callable<Boolean>> work) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(work.size())) {
      for (Future<Boolean> answer : threads.invokeAll(work, BOUND_SECONDS, TimeUnit.SECONDS)) {
        assertThat(answer.get()).isTrue();
      }
    }
  }
}
