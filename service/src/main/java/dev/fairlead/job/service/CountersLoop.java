package dev.fairlead.job.service;

import dev.fairlead.event.WakeUps;
import dev.fairlead.job.Counters;
import dev.fairlead.job.Counters.Drift;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.LeaseKeeper;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Loop;
import dev.fairlead.metric.Metric;
import dev.fairlead.transaction.FenceLost;
import dev.fairlead.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Every five minutes: do the counters say what their rows say? A drift is an error of somebody who
 * wrote past the job store; it is told of, counted ({@code fairlead.counters.drift}) and repaired.
 */
@Component
public class CountersLoop implements Loop {
  private static final Logger LOG = LoggerFactory.getLogger(CountersLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(5);
  private final LeaseKeeper keeper;
  private final Leases leases;
  private final Counters counters;
  private final Transactions transactions;
  private final MeterRegistry metrics;
  private long nextAtNanos;

  public CountersLoop(
      Leases leases, Counters counters, Transactions transactions, MeterRegistry metrics) {
    this.keeper = leases.keeper("counters");
    this.leases = leases;
    this.counters = counters;
    this.transactions = transactions;
    this.metrics = metrics;
    this.nextAtNanos = leases.clock().nanos() + EVERY.toNanos();
    for (Counters.Kind kind : Counters.Kind.values()) {
      metrics.counter(Metric.COUNTERS_DRIFT.meter(), Metric.COUNTERS_DRIFT.tags(kind.name()));
    }
  }

  @Override
  public String name() {
    return "counters";
  }

  @Override
  public String role() {
    return "scheduler";
  }

  @Override
  public Duration idle() {
    return keeper.idle(IDLE);
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of();
  }

  @Override
  public boolean tick() {
    Optional<HeldLease> lease = keeper.tick();
    if (lease.isEmpty() || leases.clock().nanos() - nextAtNanos < 0) {
      return false;
    }
    List<Drift> found = counters.compare();
    try {
      if (!found.isEmpty()) {
        transactions.callFenced(lease.get(), () -> counters.repair(found)).forEach(this::tell);
      }
    } catch (FenceLost deposed) {
      keeper.lost();
    }
    nextAtNanos = leases.clock().nanos() + EVERY.toNanos();
    return false;
  }

  private void tell(Drift drift) {
    Metric drifts = Metric.COUNTERS_DRIFT;
    metrics.counter(drifts.meter(), drifts.tags(drift.kind().name())).increment();
    LOG.error(
        "counter {} of {} {} said {}, its rows say {}: counted anew",
        drift.counter(),
        drift.kind(),
        drift.subject(),
        drift.counted(),
        drift.held());
  }

  @Override
  public void close() {
    keeper.release();
  }
}
