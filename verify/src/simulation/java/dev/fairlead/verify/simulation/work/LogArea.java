package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.log.memory.MemoryChunkStore;
import dev.fairlead.work.workload.output.LogProcess;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Logs in a store that a copy of the database uses as well for a while. The copy has the rows and
 * nonces of its original at the time of the copy, and no cluster.
 */
public final class LogArea implements Area {
  /**
   * The original detects a copy within this time, including pauses of processes, or cannot prove
   * anything.
   */
  private static final long FOUND = Duration.ofMinutes(5).toMillis();

  /** The copy writes the claim within ten seconds, and the original checks it every minute. */
  private static final long LOOKED = Duration.ofSeconds(70).toMillis();

  private static final Duration EVERY = Duration.ofMinutes(2);
  private static final Duration TURN = Duration.ofSeconds(5);
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final MemoryChunkStore chunks = new MemoryChunkStore();
  private final List<LogStore.Step> logs = new ArrayList<>();
  private @Nullable Long copiedAt;
  private boolean met;
  private boolean copyActs;
  private boolean on = true;

  public LogArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    chunks.beforeRemoval(this::removes);
    again();
  }

  private void again() {
    store();
    if (on) {
      time.in(EVERY, "an old log", this::again);
    }
  }

  /** Stores a log that is older than logs may be. */
  private void store() {
    Instant then = trueTime().minus(LogProcess.KEEP.multipliedBy(2));
    LogMember of =
        new LogMember(
            durable.world().tenant().id(),
            durable.world().project().id(),
            new JobId(new UUID(chance.nextLong(), 1)),
            new AttemptId(new UUID(chance.nextLong(), 2)),
            new MemberKey("worker", logs.size(), 0));
    LogChunk chunk = new LogChunk(1, 0, then, then, 1, 30, 20, null);
    MemberLog log = MemberLog.begin(of).with(LogPosition.START, chunk, 0).ended(then);
    LogStore.Step step = new LogStore.Step(log, chunk, 0, 20);
    logs.add(step);
    durable.stores().logs().write(List.of(step));
    try {
      chunks.put(chunk.key(of), new byte[20]);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private Instant trueTime() {
    return SettableClock.START.plusMillis(time.now());
  }

  @Override
  public List<Loop> loops(Process process) {
    Loop loop = loop(process.leases(), process.transactions(), durable.stores());
    RetentionWatch witness = new RetentionWatch(loop, process.leases(), time, durable, this::acted);
    return List.of(witness.loop());
  }

  /** Time from which a pass cannot overlook the claim of a copy. */
  private void acted(long at) {
    Long copied = copiedAt;
    met |= copied != null && at - copied >= LOOKED;
  }

  private Loop loop(Leases leases, Transactions transactions, MemoryStores of) {
    BelievedClock believed =
        new BelievedClock(
            () -> new ClockStore.Reading(of.clock().instant().toEpochMilli(), 0, 0, 0),
            leases,
            this::trueTime,
            new SimpleMeterRegistry());
    return LogProcess.of(leases, transactions, of, index(of), chunks, believed);
  }

  /** Without the guard, every nonce counts as its own. */
  private LogStore index(MemoryStores of) {
    if (!missing.contains(Guard.NONCE)) {
      return of.logs();
    }
    return UnguardedStores.of(
        LogStore.class,
        (self, method, arguments) ->
            method.getName().equals("nonces")
                ? List.of(chunks.claim().nonce())
                : method.invoke(of.logs(), arguments));
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.DATABASE_COPY);
  }

  @Override
  public Runnable strike(Fault fault) {
    if (copiedAt != null) {
      return () -> {};
    }
    long at = time.now();
    copiedAt = at;
    met = false;
    MemoryStores copy = MemoryStores.empty(chance.nextLong());
    logs.forEach(step -> {
      if (!durable.stores().logs().parts(step.log().of()).isEmpty()) {
        copy.logs().write(List.of(step));
      }
    });
    durable.stores().logs().nonces().reversed().forEach(copy.logs()::addNonce);
    Leases leases = new Leases(copy.leases(), TIMES, () -> time.now() * 1_000_000, "copy");
    turn(copy, loop(leases, copy.transactions(), copy), at);
    return () -> {
      if (Objects.equals(copiedAt, at)) {
        copiedAt = null;
        decide();
      }
    };
  }

  private void turn(MemoryStores copy, Loop loop, long at) {
    time.in(
        TURN,
        "the copy of the database",
        () -> {
          if (Objects.equals(copiedAt, at)) {
            copy.clock().set(trueTime());
            copyActs = true;
            boolean _ = loop.tick();
            copyActs = false;
            turn(copy, loop, at);
          }
        });
  }

  /** An operator ends the copy and returns the store to the original. */
  private void decide() {
    try {
      chunks.claim(chunks.claim().with(""));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** The copy may replace an original that never ran long enough to check the claim. */
  private void removes() {
    Long copied = copiedAt;
    if (copied != null && time.now() - copied > FOUND && (met || !copyActs)) {
      throw new InvariantBroken(
          Invariant.REMOVED_WITH_PROOF,
          "a copy uses the store for "
              + (time.now() - copied)
              + " ms, removed by "
              + (copyActs ? "the copy" : "the original"));
    }
  }

  @Override
  public void heal() {
    on = false;
  }

  /** Removals are checked when they happen. */
  @Override
  public void check() {}
}
