package dev.fairlead.work.workload.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.log.StoreClaim;
import dev.fairlead.work.log.memory.MemoryChunkStore;
import dev.fairlead.work.workdir.Workdir;
import dev.fairlead.work.workdir.service.spi.WorkdirRetention;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Logs that are older than they may be. */
class LogRetentionLoopTest {
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Attempt attempt =
      world.run(world.place(world.submit(Specs.job("train").gpus(1)), 0, "node-1"));
  private final MemoryChunkStore chunks = new MemoryChunkStore();
  private final List<LogRetentionLoop> others = new ArrayList<>();
  private long nanos;
  private boolean actedOn = true;
  private Duration ahead = Duration.ZERO;
  private final Leases leases = new Leases(stores.leases(), TIMES, () -> nanos, "one");
  private final LogRetentionLoop loop = loop(stores, leases);

  private LogRetentionLoop loop(MemoryStores of, Leases under) {
    return new LogRetentionLoop(
        under,
        of.transactions(),
        of.jobs(),
        of.inventory(),
        of.logs(),
        chunks,
        new LogSettings(Duration.ofDays(14), 1, 1, 10, 10),
        new BelievedClock(
            () -> new ClockStore.Reading(of.jobs().now().toEpochMilli(), 0, 0, 0),
            under,
            () -> of.jobs().now().minus(ahead),
            new SimpleMeterRegistry()),
        new WorkdirRetention(of.transactions(), of.workdirs(), chunks),
        new SimpleMeterRegistry());
  }

  private ChunkKey old(int index) throws IOException {
    return log(index, Duration.ofDays(30));
  }

  private ChunkKey log(int index, Duration age) throws IOException {
    Job job = world.jobOf(attempt);
    LogMember of =
        new LogMember(
            job.tenant(), job.project(), job.id(), attempt.id(), new MemberKey("worker", index, 0));
    Instant then = stores.jobs().now().minus(age);
    LogChunk chunk = new LogChunk(1, index, then, then, 1, 30, 20, null);
    MemberLog log = MemberLog.begin(of).with(LogPosition.START, chunk, 0);
    stores
        .logs()
        .write(List.of(new LogStore.Step(log.ended(then.plusSeconds(index)), chunk, 0, 20)));
    chunks.put(chunk.key(of), new byte[20]);
    return chunk.key(of);
  }

  private void sweep() {
    pass(Duration.ofMinutes(12));
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minusSeconds(5)) {
      nanos += Duration.ofSeconds(5).toNanos();
      if (actedOn) {
        stores.inventory().seen(world.cluster().id(), Instant.EPOCH.plusNanos(nanos));
      }
      loop.tick();
      others.forEach(LogRetentionLoop::tick);
    }
  }

  /** The thread that renews leases continues. */
  private void takesTwentySeconds() {
    for (int half = 0; half < 2; half++) {
      nanos += Duration.ofSeconds(10).toNanos();
      leases.beat();
    }
  }

  /** Fails when logs are removed by their age on a clock that is ahead. */
  @Test
  void nothingIsDeletedWhileTheDatabaseClockIsRejected() throws IOException {
    ChunkKey old = old(0);
    ahead = Duration.ofDays(30);
    pass(Duration.ofHours(2));
    assertThat(chunks.paths()).containsExactly(old.path());

    ahead = Duration.ZERO;
    sweep();
    assertThat(chunks.paths()).isEmpty();
  }

  /** Fails when code of a job is removed, or code without one is not. */
  @Test
  void codeIsRemovedADayAfterItsLastUse() throws IOException {
    Workdir used = code("a");
    Workdir unused = code("b");
    Job job = world.jobOf(attempt);
    stores.workdirs().claim(used.tenant(), used.project(), job.id(), used.digest());
    sweep();
    assertThat(chunks.paths()).hasSize(2);

    chunks.keep(unused.pieces().getFirst());
    for (int minute = 0; minute < 25 * 60; minute++) {
      stores.advance(Duration.ofMinutes(1));
      pass(Duration.ofMinutes(1));
    }
    assertThat(chunks.paths()).as("one cannot be removed").hasSize(2);
    chunks.release(unused.pieces().getFirst());
    sweep();
    assertThat(chunks.paths()).containsExactly(used.pieces().getFirst().path());
  }

  private Workdir code(String digit) throws IOException {
    Workdir upload =
        new Workdir(
            stores.ids().next(),
            world.tenant().id(),
            world.project().id(),
            "sha256:" + digit.repeat(64),
            1,
            stores.jobs().now());
    stores.workdirs().begin(upload, 10);
    chunks.put(upload.pieces().getFirst(), new byte[1]);
    stores.workdirs().complete(upload);
    return upload;
  }

  /** Fails when only the oldest chunks are tried, which cannot be removed. */
  @Test
  void undeletableChunkDelaysNoOther() throws IOException {
    List<ChunkKey> stuck = new ArrayList<>();
    for (int index = 0; index < 60; index++) {
      stuck.add(old(index));
    }
    old(60);
    stuck.forEach(chunks::keep);

    sweep();
    assertThat(chunks.paths()).hasSize(60);

    stuck.forEach(chunks::release);
    sweep();
    sweep();
    assertThat(chunks.paths()).isEmpty();
  }

  /**
   * Fails when a pass continues until its lease is lost, or marks no log before all are removed.
   */
  @Test
  void aSlowStoreIsClearedInTurnsOfAMinuteLogByLog() throws IOException {
    for (int index = 0; index < 10; index++) {
      old(index);
    }
    List<Integer> left = new ArrayList<>();
    chunks.beforeRemoval(() -> {
      left.add(stores.logs().endedBefore(Duration.ofDays(14), 50).size());
      takesTwentySeconds();
    });
    for (int tick = 0; left.isEmpty() && tick < 1_000; tick++) {
      pass(Duration.ofSeconds(5));
    }
    assertThat(left).containsExactly(10, 9, 8);

    sweep();
    assertThat(chunks.paths()).isEmpty();
  }

  /** Fails when a copy that cannot see its clusters removes unknown chunks. */
  @Test
  void nothingIsRemovedUntilThisDatabaseIsSeenToActOnACluster() throws IOException {
    actedOn = false;
    ChunkKey old = old(0);
    trouble(Cluster.ONLY_REPORTED + "the cluster knows watermark 7");
    pass(Duration.ofMinutes(61));
    trouble(null);
    pass(Duration.ofHours(25));
    assertThat(chunks.paths()).containsExactly(old.path());
    assertThat(chunks.claim().nonce()).as("the original is left alone").isEmpty();

    actedOn = true;
    sweep();
    assertThat(chunks.paths()).isEmpty();
  }

  /** Fails when one of two databases with the same nonces does not notice the other. */
  @Test
  void copyAndItsOriginalDeleteNothingUntilAnOperatorDecides() throws IOException {
    ChunkKey live = log(0, Duration.ofHours(2));
    sweep();
    MemoryStores copy = MemoryStores.empty(1);
    stores.logs().nonces().reversed().forEach(copy.logs()::addNonce);
    others.add(loop(copy, new Leases(copy.leases(), TIMES, () -> nanos, "copy")));
    ChunkKey old = old(1);

    pass(Duration.ofHours(50));
    assertThat(chunks.paths()).containsExactlyInAnyOrder(live.path(), old.path());
    assertThat(chunks.claim().nonce()).isEqualTo(StoreClaim.CONTESTED);

    others.clear();
    chunks.claim(chunks.claim().with(""));
    sweep();
    assertThat(chunks.paths()).containsExactly(live.path());
  }

  /** Fails when a stored nonce that was never written makes the next holder distrust the claim. */
  @Test
  void newHolderResumesBetweenDatabaseAndClaim() throws IOException {
    pass(Duration.ofMinutes(3));
    stores.logs().addNonce("stored");
    loop.close();
    others.add(loop(stores, new Leases(stores.leases(), TIMES, () -> nanos, "two")));
    old(0);

    for (int second = 0; second < 12 * 60; second += 5) {
      nanos += Duration.ofSeconds(5).toNanos();
      stores.inventory().seen(world.cluster().id(), Instant.EPOCH.plusNanos(nanos));
      others.forEach(LogRetentionLoop::tick);
    }
    assertThat(chunks.paths()).isEmpty();
  }

  private void trouble(@Nullable String trouble) {
    Cluster cluster = world.cluster();
    stores
        .inventory()
        .update(
            cluster.moved(cluster.state(), cluster.lastSeenAt(), trouble, cluster.capabilities()));
  }

  /** Fails when a process that ends within a minute does not update the claim. */
  @Test
  void processAliveForThirtySecondsShowsThatItWrites() throws IOException {
    ChunkKey _ = old(0);
    pass(Duration.ofMinutes(2));
    String before = chunks.claim().nonce();
    loop.close();
    Leases next = new Leases(stores.leases(), TIMES, () -> nanos, "two");
    LogRetentionLoop other = loop(stores, next);
    for (int seconds = 0; seconds < 30; seconds += 5) {
      nanos += Duration.ofSeconds(5).toNanos();
      stores.inventory().seen(world.cluster().id(), Instant.EPOCH.plusNanos(nanos));
      boolean _ = other.tick();
    }
    assertThat(chunks.claim().nonce()).isNotEqualTo(before);
  }

  /** Fails when a holder whose cluster was seen waits before it reads the claim. */
  @Test
  void copyDeletesNothingWhileEachProcessOfItsOriginalLivesForTwoPasses() throws IOException {
    pass(Duration.ofMinutes(2));
    loop.close();
    MemoryStores copy = MemoryStores.empty(1);
    stores.logs().nonces().reversed().forEach(copy.logs()::addNonce);
    LogRetentionLoop copied = loop(copy, new Leases(copy.leases(), TIMES, () -> nanos, "copy"));
    ChunkKey live = log(0, Duration.ofHours(2));

    for (int minute = 0; minute < 75; minute++) {
      LogRetentionLoop next =
          loop(stores, new Leases(stores.leases(), TIMES, () -> nanos, "process-" + minute));
      for (int second = 0; second < 60; second += 5) {
        nanos += Duration.ofSeconds(5).toNanos();
        boolean _ = copied.tick();
        if (second < 10) {
          stores.inventory().seen(world.cluster().id(), Instant.EPOCH.plusNanos(nanos));
          boolean _ = next.tick();
        }
      }
      next.close();
    }
    assertThat(chunks.paths()).containsExactly(live.path());
    assertThat(chunks.claim().nonce()).isEqualTo(StoreClaim.CONTESTED);
  }

  /** Fails when only a process that runs for a day searches for orphaned chunks. */
  @Test
  void orphanedChunksAreDeletedAnHourAfterTheStart() throws IOException {
    ChunkKey known = old(0);
    chunks.put(new ChunkKey(known.of(), 2, 7), new byte[1]);
    chunks.keep(known);

    pass(Duration.ofMinutes(61));

    assertThat(chunks.paths()).containsExactly(known.path());
    assertThat(chunks.asked())
        .as("an hour ago by the clock of the database")
        .isEqualTo(stores.jobs().now().minus(Duration.ofHours(1)));
  }

  /** Fails when a failing removal ends the sweep, or is never tried again. */
  @Test
  void undeletableOrphanDelaysNoOther() throws IOException {
    ChunkKey known = old(0);
    chunks.keep(known);
    ChunkKey stuck = new ChunkKey(known.of(), 2, 7);
    chunks.put(stuck, new byte[1]);
    chunks.put(new ChunkKey(known.of(), 2, 8), new byte[1]);
    chunks.keep(stuck);

    pass(Duration.ofMinutes(61));
    assertThat(chunks.paths()).containsExactlyInAnyOrder(known.path(), stuck.path());

    chunks.release(stuck);
    pass(Duration.ofHours(25));
    assertThat(chunks.paths()).containsExactly(known.path());
  }

  /** Fails when an outage makes the sweep skip chunks, or each chunk is tried during it. */
  @Test
  void storeOutageEndsTheTurnAndNotTheSweep() throws IOException {
    List<ChunkKey> orphans = orphans(5);
    orphans.forEach(chunks::keep);
    chunks.fails("away");
    AtomicInteger asked = new AtomicInteger();
    chunks.beforeRemoval(asked::incrementAndGet);
    assertThatThrownBy(() -> pass(Duration.ofMinutes(61))).hasMessageContaining("away");
    assertThat(asked).as("together and one").hasValue(2);

    orphans.forEach(chunks::release);
    chunks.fails(null);
    pass(Duration.ofMinutes(11));
    assertThat(chunks.paths()).isEmpty();
  }

  /**
   * Fails when a pass continues until its lease is lost, or the next one begins with stuck chunks.
   */
  @Test
  void orphansOfASlowStoreAreTriedInTurnsOfAMinute() throws IOException {
    List<ChunkKey> orphans = orphans(10);
    List<ChunkKey> stuck = orphans.subList(0, 9);
    stuck.forEach(chunks::keep);
    pass(Duration.ofMinutes(35));
    AtomicInteger asked = new AtomicInteger();
    chunks.beforeRemoval(() -> {
      asked.incrementAndGet();
      takesTwentySeconds();
    });
    for (int tick = 0; asked.get() == 0 && tick < 1_000; tick++) {
      pass(Duration.ofSeconds(5));
    }
    assertThat(asked).as("together and two").hasValue(3);

    pass(Duration.ofMinutes(5));
    assertThat(chunks.paths())
        .containsExactlyElementsOf(stuck.stream().map(ChunkKey::path).toList());
  }

  private List<ChunkKey> orphans(int count) throws IOException {
    LogMember of = old(0).of();
    pass(Duration.ofMinutes(20));
    assertThat(chunks.paths()).isEmpty();
    List<ChunkKey> made = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      made.add(new ChunkKey(of, 2, index + 1));
      chunks.put(made.getLast(), new byte[1]);
    }
    return made;
  }
}
