package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The stored output of deleted jobs, which the next sweep deletes. */
class DeletedJobLogsTest {
  private static final Ages AT_ONCE =
      new Ages(Duration.ZERO, Duration.ofDays(7), Duration.ofDays(1), Duration.ofDays(30));

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when the output of a deleted job keeps its age. */
  @Test
  void theOutputOfADeletedJobGetsTheMaximumAge() {
    LogMember deleted = endedWithOutput("deleted");
    LogMember other = endedWithOutput("other");

    assertThat(stores.jobs().delete(deleted.job())).isTrue();

    assertThat(endOf(deleted)).isEqualTo(Instant.EPOCH);
    assertThat(endOf(other)).isAfter(Instant.EPOCH);
  }

  /** Fails when only attempts outside the archive are searched for output. */
  @Test
  void outputOfAnArchivedJobExpiresToo() {
    LogMember archived = endedWithOutput("archived");
    RetentionStore retention = stores.bean(RetentionStore.class);
    while (retention.clear(RetentionStore.Kind.JOBS, AT_ONCE, 1000) > 0) {
      assertThat(retention).isNotNull();
    }
    assertThat(rowsOfJob(archived)).isZero();

    assertThat(stores.jobs().delete(archived.job())).isTrue();

    assertThat(endOf(archived)).isEqualTo(Instant.EPOCH);
  }

  /** Fails when a deletion fails, or misses the output, because output is stored meanwhile. */
  @Test
  void outputStoredDuringTheDeletionExpiresToo() {
    LogMember deleted = endedWithOutput("busy");
    CompletableFuture<Boolean> deletion =
        loop(() -> {
          write(MemberLog.begin(deleted).ended(stores.jobs().now()));
          CompletableFuture<Boolean> waits =
              CompletableFuture.supplyAsync(() -> stores.jobs().delete(deleted.job()));
          untilItWaits(waits);
          return waits;
        });

    assertThat(deletion.join()).isTrue();
    assertThat(endOf(deleted)).isEqualTo(Instant.EPOCH);
  }

  /** Fails when output that waits for the deletion replaces the maximum age. */
  @Test
  void outputPendingDeletionKeepsTheMaximumAge() {
    LogMember deleted = endedWithOutput("late");
    MemberLog last = MemberLog.begin(deleted).ended(stores.jobs().now());
    CompletableFuture<Void> output =
        loop(() -> {
          assertThat(stores.jobs().delete(deleted.job())).isTrue();
          CompletableFuture<Void> waits =
              CompletableFuture.runAsync(() -> stores.transactions().run(() -> write(last)));
          untilItWaits(waits);
          return waits;
        });
    output.join();

    assertThat(endOf(deleted)).isEqualTo(Instant.EPOCH);
  }

  private void untilItWaits(Future<?> other) {
    String waiting =
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity a USING (pid)"
            + " WHERE NOT granted AND a.datname = current_database()";
    while (!other.isDone() && stores.jdbc().sql(waiting).query(Long.class).single() == 0) {
      Thread.onSpinWait();
    }
    assertThat(other).isNotDone();
  }

  private LogMember endedWithOutput(String name) {
    Job job = world.submit(Specs.job(name));
    Attempt ended = world.succeed(world.run(world.place(job)));
    LogMember of =
        new LogMember(
            job.tenant(), job.project(), job.id(), ended.id(), new MemberKey("worker", 0, 0));
    MemberLog log = MemberLog.begin(of).ended(stores.jobs().now());
    loop(() -> {
      write(log);
      return true;
    });
    Job locked = stores.jobs().lock(List.of(job.id())).getFirst();
    world.append(JobTransitions.retire(locked, ended, world.now(), TestWorld.ACTOR));
    return of;
  }

  private void write(MemberLog log) {
    stores.logs().write(List.of(new LogStore.Step(log, null, 0, 0)));
  }

  private Instant endOf(LogMember of) {
    MemberLog log = loop(() -> stores.logs().of(List.of(of.attempt()))).getFirst();
    Instant ended = log.endedAt();
    assertThat(ended).isNotNull();
    return ended;
  }

  private long rowsOfJob(LogMember of) {
    return stores
        .jdbc()
        .sql("SELECT count(*) FROM job WHERE id = :id")
        .param("id", of.job().value())
        .query(Long.class)
        .single();
  }

  private <T> T loop(Supplier<T> work) {
    return stores.transactions().call(() -> stores.transactions().forAllTenants(work));
  }
}
