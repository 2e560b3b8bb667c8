package dev.fairlead.money.usage.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class UsageLoopTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long MINUTE = HOUR / 60;
  private final MemoryStores stores = MemoryStores.empty(1);
  private final Books books = new Books();
  private final KeptWaits waits = new KeptWaits();
  private long nanos;

  /** Lead of the database's clock over the machines' clocks. */
  private long aheadMillis;

  private UsageLoop loop = process("me");

  /** The loop of a process that has just started. */
  private UsageLoop process(String holder) {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
            () -> nanos,
            holder);
    return new UsageLoop(
        leases,
        books,
        books,
        waits,
        stores.transactions(),
        new BelievedClock(
            () -> new ClockStore.Reading(books.now, books.looked, books.open, 0),
            leases,
            () -> Instant.ofEpochMilli(books.now - aheadMillis),
            new SimpleMeterRegistry()));
  }

  /** One GPU that always existed, and its written rows. */
  private static final class Books implements UsageStore, UseLedger {
    private long now;
    private long looked;
    private long open;
    private long summed;
    private boolean waited;
    private final List<String> written = new ArrayList<>();

    @Override
    public long now() {
      return now;
    }

    @Override
    public Watermark look() {
      looked = Math.max(looked, now);
      return new Watermark(looked, open);
    }

    @Override
    public void gpus(long fromMillis, long toMillis, Consumer<GpuHistory> each) {
      each.accept(
          new GpuHistory(
              0,
              new FleetPart(new ClusterId(new UUID(0, 1)), "", null, "H100", CapacityType.RESERVED),
              List.of(new GpuHistory.Seen(0, toMillis, UsageBucket.FREE, 0)),
              List.of()));
    }

    @Override
    public void write(UseFacts hour) {
      long minutes =
          hour.sums().entrySet().stream()
              .filter(fact -> fact.getKey().kind() == UseKind.FLEET)
              .filter(
                  fact -> fact.getKey().text(UseDimension.DETAIL).equals(UsageBucket.FREE.name()))
              .mapToLong(fact -> fact.getValue() / 1000 / MINUTE)
              .sum();
      written.add(hour.startMillis() / HOUR + ":" + minutes);
      waited |= hour.sums().keySet().stream().anyMatch(key -> key.kind() == UseKind.WAIT);
    }

    @Override
    public void close(long openMillis) {
      open = openMillis;
    }

    @Override
    public List<HourDifference> dayDifferences(long dayMillis) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sumDay(long dayMillis) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean sumDay() {
      if (summed >= open / (24 * HOUR)) {
        return false;
      }
      written.add("day " + summed++);
      return true;
    }

    @Override
    public long open() {
      return open;
    }

    @Override
    public long lock() {
      return open;
    }

    @Override
    public UseFacts stored(long hourMillis) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void report(UseQuery query, Consumer<UseSum> each) {
      throw new UnsupportedOperationException();
    }
  }

  private void at(long millis) {
    nanos += Duration.ofMillis(millis - books.now - MINUTE).toNanos();
    step(millis);
  }

  /** Advances a minute, and sets the database's clock to the time. */
  private void step(long millis) {
    books.now = millis;
    for (long passed = 0; passed < Duration.ofMinutes(1).toSeconds(); passed += 5) {
      nanos += Duration.ofSeconds(5).toNanos();
      while (loop.tick()) {
        assertThat(books.written).hasSizeLessThan(100);
      }
    }
  }

  /** Fails when an hour is closed while its transactions may be open, or is only partly written. */
  @Test
  void hourIsComputedWhileOpenAndClosedTenMinutesAfterItsEnd() {
    at(20 * MINUTE);
    at(HOUR + 5 * MINUTE);
    assertThat(books.open).isZero();
    at(HOUR + 10 * MINUTE);

    assertThat(books.written).containsExactly("0:20", "0:60", "0:60", "1:10");
    assertThat(books.open).isEqualTo(HOUR);
  }

  /** Fails when waits are not noted before they are added up, or not with each hour. */
  @Test
  void waitsAreNotedAndWrittenWithEachHour() {
    at(20 * MINUTE);
    at(HOUR + 10 * MINUTE);

    assertThat(waits.calls)
        .containsExactly("look", "sums 20", "look", "sums 60", "look", "sums 10");
    assertThat(books.waited).isTrue();
  }

  /** Fails when hours are left out after a pause. */
  @Test
  void missedHoursAreWrittenLater() {
    at(3 * HOUR + 30 * MINUTE);

    assertThat(books.written).containsExactly("0:60", "1:60", "2:60", "3:30");
  }

  /** Fails when a day is summed before its last hour is closed, or hours wait for many days. */
  @Test
  void daysAreAddedUpOnceTheirHoursAreClosed() {
    at(47 * HOUR + 30 * MINUTE);
    books.written.clear();

    at(48 * HOUR + 5 * MINUTE);
    assertThat(books.written).containsExactly("47:60");
    at(48 * HOUR + 10 * MINUTE);
    assertThat(books.written).containsExactly("47:60", "47:60", "48:10", "day 1");
  }

  /** Fails when future hours are written, or the accounting stops permanently. */
  @Test
  void aStepForwardOfTheDatabasesClockWritesNothing() {
    at(20 * MINUTE);
    step(24 * HOUR);
    step(22 * MINUTE);

    assertThat(books.written).containsExactly("0:20", "0:22");
    assertThat(books.open).isZero();
  }

  /** Fails when a new holder trusts a clock that stepped forward while the old one died. */
  @Test
  void newHolderTrustsNoClockThatSteppedWhileTheOldOneDied() {
    at(20 * MINUTE);
    loop.close();
    loop = process("other");
    aheadMillis = 3 * HOUR;
    step(3 * HOUR + 21 * MINUTE);
    for (int minute = 22; minute < 40; minute++) {
      step(3 * HOUR + minute * MINUTE);
    }
    assertThat(books.written).as("however long the step lasts").containsExactly("0:20");

    aheadMillis = 0;
    step(40 * MINUTE);
    assertThat(books.written).containsExactly("0:20", "0:40");
    assertThat(books.open).isZero();
  }

  /** Fails when a service that was down for hours never closes them. */
  @Test
  void aNewHolderClosesTheHoursInWhichTheServiceWasDown() {
    at(20 * MINUTE);
    loop.close();
    loop = process("other");
    at(3 * HOUR + 30 * MINUTE);

    assertThat(books.written).containsExactly("0:20", "0:60", "1:60", "2:60", "3:30");
  }

  /** Fails when a process without the lease writes. */
  @Test
  void processWithoutTheLeaseWritesNothing() {
    stores.leases().create("usage", "other");
    nanos += Duration.ofSeconds(5).toNanos();

    assertThat(loop.tick()).isFalse();
    assertThat(books.written).isEmpty();
  }
}
