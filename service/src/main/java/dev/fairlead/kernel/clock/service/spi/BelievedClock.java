package dev.fairlead.kernel.clock.service.spi;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.SteadyClock;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Decides whether the clock of the database is plausible, for loops that close hours or remove rows
 * and files by age. Such a loop checks before each pass, and does no such work while the clock is
 * refused. All loops of a process share one verdict.
 */
@Component
public class BelievedClock {
  private static final Logger LOG = LoggerFactory.getLogger(BelievedClock.class);

  /** Age after which the verdict of a process without such loops is ignored. */
  private static final long STALE_NANOS = Duration.ofMinutes(10).toNanos();

  private final ClockStore store;
  private final MonotonicClock monotonic;
  private final InstantSource host;
  private final SteadyClock judge = new SteadyClock();
  private long aheadMillis;
  private long judgedNanos;

  public BelievedClock(ClockStore store, Leases leases, InstantSource host, MeterRegistry metrics) {
    this.store = store;
    this.monotonic = leases.clock();
    this.host = host;
    TimeGauge.builder(
            Metric.CLOCK_REFUSED.meter(), this, TimeUnit.MILLISECONDS, BelievedClock::refusedMillis)
        .register(metrics);
  }

  /**
   * Reads the clock and judges it.
   *
   * @return false while it is ahead of every clock that could confirm it
   */
  public boolean believed() {
    return judged(store.read());
  }

  /** Judges a reading. */
  public synchronized boolean judged(ClockStore.Reading read) {
    long hostMillis = host.millis();
    judgedNanos = monotonic.nanos();
    boolean believed = judge.believes(read, hostMillis, judgedNanos);
    boolean before = aheadMillis == 0;
    aheadMillis =
        believed ? 0 : Math.max(1, read.nowMillis() - Math.max(read.lookMillis(), hostMillis));
    if (!believed && before) {
      LOG.error(
          "the database's clock shows {}, {} ahead of the clock of this machine and the last"
              + " usage sample: no hour is closed and nothing is removed by age until they"
              + " agree. See docs/how-to/runbooks/FairleadClockRefused.md",
          Instant.ofEpochMilli(read.nowMillis()),
          Duration.ofMillis(aheadMillis));
    } else if (believed && !before) {
      LOG.info("the database's clock is believed again");
    }
    return believed;
  }

  private synchronized double refusedMillis() {
    return monotonic.nanos() - judgedNanos >= STALE_NANOS ? 0 : aheadMillis;
  }
}
