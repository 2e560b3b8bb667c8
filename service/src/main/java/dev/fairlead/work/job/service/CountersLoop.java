package dev.fairlead.work.job.service;

import dev.fairlead.fleet.quota.Counters;
import dev.fairlead.fleet.quota.Counters.Drift;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Compares the counters with their rows every five minutes. A drift is a bug of a writer that
 * bypasses the job store. Drift is logged, counted ({@code fairlead.counters.drift}) and repaired.
 */
@Component
public class CountersLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(CountersLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(5);
  private final Counters counters;
  private final Transactions transactions;
  private final MeterRegistry metrics;
  private final Recurring comparison;

  public CountersLoop(
      Leases leases, Counters counters, Transactions transactions, MeterRegistry metrics) {
    super("counters", "scheduler", IDLE, leases);
    this.counters = counters;
    this.transactions = transactions;
    this.metrics = metrics;
    this.comparison = Recurring.after(leases.clock(), EVERY);
    for (Counters.Kind kind : Counters.Kind.values()) {
      metrics.counter(Metric.COUNTERS_DRIFT.meter(), Metric.COUNTERS_DRIFT.tags(kind.name()));
    }
  }

  @Override
  protected boolean turn(HeldLease lease) {
    if (comparison.due()) {
      SortedMap<Counters.Kind, List<Drift>> found =
          counters.compare().stream()
              .collect(Collectors.groupingBy(Drift::kind, TreeMap::new, Collectors.toList()));
      found.forEach(
          (kind, drifts) -> guarded("counters of kind " + kind, () -> repair(lease, drifts)));
      comparison.done();
    }
    return false;
  }

  /** Repairs one kind in a separate transaction, so that a failure does not stop the others. */
  private void repair(HeldLease lease, List<Drift> drifts) {
    transactions.callFenced(lease, () -> counters.repair(drifts)).forEach(this::tell);
  }

  private void tell(Drift drift) {
    Metric drifts = Metric.COUNTERS_DRIFT;
    metrics.counter(drifts.meter(), drifts.tags(drift.kind().name())).increment();
    LOG.error(
        "counter {} of {} {} was {}, its rows add up to {}: recomputed",
        drift.counter(),
        drift.kind(),
        drift.subject(),
        drift.counted(),
        drift.held());
  }
}
