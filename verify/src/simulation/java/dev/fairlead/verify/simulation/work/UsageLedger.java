package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.SteadyClock;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageOwner;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.memory.MemoryUseLedger;
import dev.fairlead.verify.simulation.world.Guard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * In-memory implementation of {@link UsageStore} and {@link UseLedger}: intervals of use, stamped
 * as the ledger of GPUs in PostgreSQL stamps them, and the sums of hours. All times are
 * milliseconds since 1970.
 */
public final class UsageLedger implements UsageStore, UseLedger {
  private static final String OPEN = "open";
  private static final String LOOK = "look";
  private static final String BOOKED = "booked";

  private final MemoryDatabase database;
  private final LongSupplier clock;
  private final LongSupplier host;
  private final Set<Guard> missing;
  private final MemoryTable<String, Long> watermarks;
  private final MemoryUseLedger hours;
  private final SortedMap<String, List<GpuHistory.Use>> ended = new TreeMap<>();
  private final SortedMap<String, GpuHistory.Use> held = new TreeMap<>();
  private boolean late;
  private final Map<String, Long> booked = new HashMap<>();

  /**
   * @param clock the database's clock
   * @param host the clock of every machine
   * @param openMillis begin of the first hour
   */
  UsageLedger(
      MemoryDatabase database,
      LongSupplier clock,
      LongSupplier host,
      long openMillis,
      Set<Guard> missing) {
    this.database = database;
    this.clock = clock;
    this.host = host;
    this.missing = missing;
    this.watermarks = database.table();
    this.hours = new MemoryUseLedger(database, this::believed, this::open);
    database.run(() -> {
      watermarks.put(OPEN, openMillis);
      watermarks.put(LOOK, host.getAsLong());
      watermarks.put(BOOKED, 0L);
    });
  }

  private long watermark(String name) {
    return database.call(() -> watermarks.find(name).orElseThrow());
  }

  /** {@code fairlead_latest} in SQL. */
  private long believed() {
    return missing.contains(Guard.STAMP) ? clock.getAsLong() : latest();
  }

  /** The confirmed time, even without a usage guard. */
  long latest() {
    long latest = Math.max(watermark(LOOK), host.getAsLong()) + SteadyClock.TOLERANCE.toMillis();
    return Math.min(clock.getAsLong(), latest);
  }

  /** Whether hours cannot be stored. */
  void late(boolean now) {
    late = now;
  }

  private long stamp(String gpu) {
    return missing.contains(Guard.CLOSED_HOUR)
        ? believed()
        : Math.max(believed(), Math.max(watermark(OPEN), booked.getOrDefault(gpu, 0L)));
  }

  /** A member takes a part of a GPU. */
  void take(String gpu, String holder, UsageOwner owner, int milli) {
    long since = stamp(gpu);
    booked.put(gpu, since);
    held.put(gpu + " " + holder, new GpuHistory.Use(since, Long.MAX_VALUE, owner, milli, 0));
    note(since);
  }

  /** A member returns its part of a GPU. */
  void giveBack(String gpu, String holder) {
    GpuHistory.Use use = Objects.requireNonNull(held.remove(gpu + " " + holder), gpu);
    long until = Math.max(use.fromMillis(), stamp(gpu));
    booked.put(gpu, until);
    ended
        .computeIfAbsent(gpu, g -> new ArrayList<>())
        .add(new GpuHistory.Use(use.fromMillis(), until, use.owner(), use.milli(), 0));
    note(until);
  }

  private void note(long at) {
    database.run(() -> watermarks.put(BOOKED, Math.max(watermark(BOOKED), at)));
  }

  /** Without the guard, every clock is confirmed. */
  ClockStore.Reading reading() {
    long now = clock.getAsLong();
    long look = missing.contains(Guard.BELIEVED) ? now : watermark(LOOK);
    return new ClockStore.Reading(now, look, watermark(OPEN), watermark(BOOKED));
  }

  @Override
  public long now() {
    return believed();
  }

  @Override
  public Watermark look() {
    watermarks.put(LOOK, Math.max(watermark(LOOK), believed()));
    return new Watermark(watermark(LOOK), watermark(OPEN));
  }

  @Override
  public void gpus(long fromMillis, long toMillis, Consumer<GpuHistory> each) {
    SortedMap<String, List<GpuHistory.Use>> uses = new TreeMap<>();
    ended.forEach((gpu, all) ->
        all.stream()
            .filter(use -> use.toMillis() > fromMillis && use.fromMillis() < toMillis)
            .forEach(use -> uses.computeIfAbsent(gpu, g -> new ArrayList<>()).add(use)));
    held.forEach((key, use) -> {
      if (use.fromMillis() < toMillis) {
        String gpu = key.substring(0, key.indexOf(' '));
        uses.computeIfAbsent(gpu, g -> new ArrayList<>())
            .add(new GpuHistory.Use(use.fromMillis(), toMillis, use.owner(), use.milli(), 0));
      }
    });
    uses.forEach((gpu, of) -> {
      UsageOwner owner = of.getFirst().owner();
      FleetPart part =
          new FleetPart(
              Objects.requireNonNull(owner.cluster()),
              owner.pool(),
              null,
              owner.flavor().model(),
              owner.flavor().capacity());
      List<GpuHistory.Seen> seen =
          List.of(new GpuHistory.Seen(fromMillis, toMillis, UsageBucket.FREE, 0));
      each.accept(new GpuHistory(0, part, seen, of));
    });
  }

  @Override
  public void write(UseFacts hour) {
    if (late) {
      throw new IllegalStateException("simulated: hours cannot be stored");
    }
    hours.write(hour);
  }

  @Override
  public void close(long openMillis) {
    watermarks.put(OPEN, Math.max(watermark(OPEN), openMillis));
  }

  @Override
  public long open() {
    return watermark(OPEN);
  }

  List<UseFacts> closed() {
    long open = open();
    return hours.all().stream().filter(facts -> facts.startMillis() < open).toList();
  }

  /** The facts of the hour by its intervals, as they are now. */
  UseFacts due(long hourMillis) {
    HourBook book = new HourBook(hourMillis, hourMillis + HourBook.HOUR_MILLIS);
    gpus(hourMillis, book.toMillis(), book::add);
    return book.sums().facts();
  }

  @Override
  public UseFacts stored(long hourMillis) {
    return hours.find(hourMillis).orElseGet(() -> due(hourMillis));
  }

  @Override
  public boolean sumDay() {
    return false;
  }

  @Override
  public long lock() {
    return open();
  }

  @Override
  public List<HourDifference> dayDifferences(long dayMillis) {
    return List.of();
  }

  @Override
  public void sumDay(long dayMillis) {}

  @Override
  public void report(UseQuery query, Consumer<UseSum> each) {
    hours.report(query, each);
  }
}
