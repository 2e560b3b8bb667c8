package dev.fairlead.work.schedule.service;

import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.schedule.ScheduleState;
import dev.fairlead.work.schedule.ScheduleStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.stereotype.Component;

/**
 * Submits the jobs of due schedules, the longest waiting first. The loop reads only schedules that
 * are due. While the clock of the database is refused, nothing is submitted, because a clock that
 * is ahead would decide future instants, and decisions cannot be undone.
 */
@Component
public class ScheduleLoop extends LeasedLoop {
  private static final Duration IDLE = Duration.ofSeconds(1);

  /** Schedules of a pass, and the time after which it begins no other. */
  private static final int PAGE = 200;

  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final ScheduleStore store;
  private final ScheduleStep step;
  private final BelievedClock clock;
  private final JobStore jobs;
  private final MonotonicClock monotonic;
  private final GaugeRows lag;

  ScheduleLoop(
      Leases leases,
      ScheduleStore store,
      ScheduleStep step,
      BelievedClock clock,
      JobStore jobs,
      MeterRegistry metrics) {
    super("schedules", "background", IDLE, leases);
    this.store = store;
    this.step = step;
    this.clock = clock;
    this.jobs = jobs;
    this.monotonic = leases.clock();
    this.lag = new GaugeRows(metrics, Metric.SCHEDULE_LAG);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    Instant now = jobs.now();
    List<ScheduleState> due = store.due(now, PAGE);
    Instant oldest = due.isEmpty() ? now : Objects.requireNonNull(due.getFirst().nextAt());
    double waits = (double) Duration.between(oldest, now).toMillis() / 1_000;
    lag.show(Map.of(List.of(), () -> waits));
    if (due.isEmpty() || !clock.believed()) {
      return false;
    }
    long end = monotonic.nanos() + LONGEST.toNanos();
    boolean more = due.size() == PAGE;
    IndependentSteps steps = new IndependentSteps();
    for (ScheduleState each : due) {
      if (monotonic.nanos() > end) {
        more = true;
        break;
      }
      boolean[] again = new boolean[1];
      if (steps.run(() -> again[0] = step.run(lease, each, now))) {
        more |= again[0];
      }
    }
    steps.rethrow();
    return more;
  }

  @Override
  protected void forget() {
    lag.show(Map.of());
  }
}
