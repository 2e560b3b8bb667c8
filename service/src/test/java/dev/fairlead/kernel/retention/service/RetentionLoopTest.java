package dev.fairlead.kernel.retention.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetentionLoopTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));
  private final MemoryStores stores = MemoryStores.empty(1);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final Rows rows = new Rows();
  private long nanos;
  private Duration ahead = Duration.ZERO;
  private final Leases leases = new Leases(stores.leases(), TIMES, () -> nanos, "one");
  private final BelievedClock clock =
      new BelievedClock(
          () -> new ClockStore.Reading(NOW.plus(ahead).toEpochMilli(), 0, 0, 0),
          leases,
          () -> NOW,
          metrics);
  private final RetentionLoop loop =
      new RetentionLoop(
          leases, rows, new RetentionPass(rows, metrics), new RetentionLag(rows, metrics), clock);

  /** Counts removals and preparations. */
  private static final class Rows implements RetentionStore {
    private int cleared;
    private int prepared;

    @Override
    public void prepare() {
      prepared++;
    }

    @Override
    public int clear(Kind kind, Ages ages, int limit) {
      cleared++;
      return 0;
    }

    @Override
    public Map<Kind, Duration> oldest() {
      return Map.of();
    }

    @Override
    public Duration horizon() {
      return Duration.ofDays(9);
    }

    @Override
    public void fold() {}
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minusSeconds(5)) {
      nanos += Duration.ofSeconds(5).toNanos();
      loop.tick();
    }
  }

  /** Fails when rows are removed by their age on a clock that is ahead. */
  @Test
  void nothingIsDeletedWhileTheDatabaseClockIsRejected() {
    ahead = Duration.ofDays(400);
    pass(Duration.ofHours(3));

    assertThat(rows.cleared).isZero();
    assertThat(rows.prepared).as("room for coming days is made all the same").isPositive();
    assertThat(metrics.get("fairlead.clock.refused").timeGauge().value()).isPositive();

    ahead = Duration.ZERO;
    pass(Duration.ofMinutes(1));
    assertThat(rows.cleared).isPositive();
    assertThat(metrics.get("fairlead.clock.refused").timeGauge().value()).isZero();
  }
}
