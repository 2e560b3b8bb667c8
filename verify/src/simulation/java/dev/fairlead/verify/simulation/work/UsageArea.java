package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.clock.SteadyClock;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageOwner;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.service.UsageLoop;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.NoWaits;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Usage by the hour. The database fails over to a machine whose clock is hours ahead or behind, and
 * processes die in the same moment, so that their successors have never seen another clock.
 */
public final class UsageArea implements Area {
  private static final long TOLERANCE = SteadyClock.TOLERANCE.toMillis();

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final UsageLedger ledger;
  private final boolean backwards;
  private final List<ProcessLife> processes = new ArrayList<>();
  private final SortedMap<String, Held> holding = new TreeMap<>();
  private final List<Held> held = new ArrayList<>();
  private boolean dirty;
  private long closed;

  /** By how much a believed clock can be ahead of the true time: steps that are small add up. */
  private long ahead;

  /**
   * A part of a GPU that a member of an attempt holds, and the times at which a member took and
   * released it.
   */
  private record Held(
      String gpu,
      String holder,
      int milli,
      long trueFrom,
      long clockFrom,
      long trueTo,
      long clockTo) {
    Held until(long trueTime, long clockTime) {
      return new Held(gpu, holder, milli, trueFrom, clockFrom, trueTime, clockTime);
    }

    private long shared(long from, long to, long hour) {
      long end = Math.min(to, hour + HourBook.HOUR_MILLIS);
      return milli * Math.max(0, end - Math.max(from, hour));
    }

    String attempt() {
      return holder.substring(0, holder.indexOf('/'));
    }

    long most(long hour, long late) {
      return shared(Math.min(clockFrom, trueFrom), trueTo + late, hour);
    }

    long least(long hour, long late) {
      return shared(trueFrom + late, Math.min(clockTo, trueTo), hour);
    }
  }

  public UsageArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.backwards = missing.contains(Guard.CLOSED_HOUR);
    long begun = Duration.ofMinutes(30L + chance.nextInt(30)).toMillis();
    this.ledger =
        new UsageLedger(
            durable.stores().database(), this::clock, this::trueTime, trueTime() - begun, missing);
    durable.afterAttempts(this::follow);
  }

  public UsageLedger ledger() {
    return ledger;
  }

  private long clock() {
    return durable.stores().clock().instant().toEpochMilli();
  }

  /** The time of every machine but the database's. */
  private long trueTime() {
    return SettableClock.START.toEpochMilli() + time.now();
  }

  @Override
  public List<Loop> loops(Process process) {
    processes.removeIf(life -> !life.alive());
    processes.add(process.life());
    BelievedClock believed =
        new BelievedClock(
            ledger::reading,
            process.leases(),
            () -> Instant.ofEpochMilli(trueTime()),
            new SimpleMeterRegistry());
    return List.of(
        new UsageLoop(
            process.leases(), ledger, ledger, new NoWaits(), process.transactions(), believed));
  }

  /**
   * Records the resources that a commit allocated and released, as the same transaction does in
   * PostgreSQL.
   */
  private void follow() {
    SortedMap<String, Held> now = new TreeMap<>();
    SortedMap<String, UsageOwner> owners = new TreeMap<>();
    for (Attempt attempt : durable.stores().jobs().live()) {
      for (Member member : attempt.members()) {
        for (GpuShare share : member.gpus()) {
          String gpu = member.node().text() + "/" + share.index();
          String holder = attempt.id().text() + "/" + MemberKey.of(member);
          now.put(gpu + " " + holder, taken(gpu, holder, share.milli()));
          owners.put(gpu + " " + holder, owner(attempt, member));
        }
      }
    }
    for (Held before : List.copyOf(holding.values())) {
      String key = before.gpu() + " " + before.holder();
      if (!now.containsKey(key)) {
        holding.remove(key);
        held.add(before.until(trueTime(), clock()));
        ledger.giveBack(before.gpu(), before.holder());
        dirty = true;
      }
    }
    now.forEach((key, taken) -> {
      if (holding.putIfAbsent(key, taken) == null) {
        ledger.take(taken.gpu(), taken.holder(), owners.get(key), taken.milli());
      }
    });
  }

  private Held taken(String gpu, String holder, int milli) {
    return new Held(gpu, holder, milli, trueTime(), clock(), Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private UsageOwner owner(Attempt attempt, Member member) {
    return new UsageOwner(
        durable.world().tenant().id(),
        durable.world().project().id(),
        durable.world().queue().id(),
        attempt.id().text(),
        attempt.cluster(),
        "",
        member.flavor(),
        null,
        Collections.emptySortedMap());
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.CLOCK_LEAP, Fault.USAGE_LATE);
  }

  @Override
  public Runnable strike(Fault fault) {
    if (fault == Fault.USAGE_LATE) {
      ledger.late(true);
      return () -> ledger.late(false);
    }
    long minutes = 20L + chance.nextInt(160);
    Duration leap = Duration.ofMinutes(chance.nextInt(3) == 0 || backwards ? -minutes : minutes);
    durable.stepClock(leap);
    if (chance.nextBoolean()) {
      processes.forEach(life -> life.end("a failover of the database"));
    }
    List<Duration> back = new ArrayList<>(List.of(leap.negated()));
    return () -> {
      back.forEach(durable::stepClock);
      back.clear();
    };
  }

  /**
   * The usage of a closed hour equals the time that attempts held GPUs, exactly by their intervals
   * and within clock tolerance by true time.
   */
  @Override
  public void check() {
    long offset = clock() - trueTime();
    if (offset <= ahead + TOLERANCE) {
      ahead = Math.max(ahead, offset);
    }
    long open = ledger.open();
    if (dirty || closed != open) {
      dirty = false;
      closed = open;
      ledger.closed().forEach(this::check);
    }
  }

  private void check(UseFacts stored) {
    long hour = stored.startMillis();
    if (!stored.differences(ledger.due(hour)).isEmpty()) {
      throw broken(stored, stored.differences(ledger.due(hour)).toString());
    }
    long late = ahead + TOLERANCE;
    SortedMap<String, Long> left = new TreeMap<>();
    stored
        .sums()
        .forEach((key, amount) -> {
          if (key.kind() == UseKind.USE) {
            left.merge(key.text(UseDimension.USER), amount, Long::sum);
          }
        });
    SortedMap<String, List<Held>> by = new TreeMap<>();
    Stream.concat(
            held.stream(), holding.values().stream().map(one -> one.until(trueTime(), clock())))
        .forEach(one -> by.computeIfAbsent(one.attempt(), a -> new ArrayList<>()).add(one));
    by.forEach((attempt, its) -> {
      long sum = Objects.requireNonNullElse(left.remove(attempt), 0L);
      long most = its.stream().mapToLong(one -> one.most(hour, late)).sum();
      long least = its.stream().mapToLong(one -> one.least(hour, late)).sum();
      if (sum < least || sum > most) {
        throw broken(stored, "%s has %d, not %d to %d".formatted(attempt, sum, least, most));
      }
    });
    if (!left.isEmpty()) {
      throw broken(stored, "no attempt held " + left);
    }
  }

  private static InvariantBroken broken(UseFacts stored, @Nullable String what) {
    return new InvariantBroken(
        Invariant.USAGE_EQUALS_HELD, Instant.ofEpochMilli(stored.startMillis()) + ": " + what);
  }
}
