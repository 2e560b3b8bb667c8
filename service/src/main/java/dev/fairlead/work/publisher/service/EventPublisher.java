package dev.fairlead.work.publisher.service;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.FleetEvents;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Follows event rows in delivery order, counts them by type and exports the traces of their jobs.
 * Stores the held events of nodes that change repeatedly. One replica at a time runs it.
 */
@Component
public class EventPublisher extends LeasedLoop {
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final Duration BETWEEN_RELEASES = Duration.ofSeconds(10);
  private static final int MOST_RELEASED = 1_000;
  private static final int BATCH = 1_000;
  private final EventLog log;
  private final FleetEvents fleet;
  private final Transactions transactions;
  private final JobTraces traces;
  private final MeterRegistry metrics;
  private final InstantSource clock;
  private final Timer delivery;
  private @Nullable EventPosition position;
  private @Nullable Instant released;

  EventPublisher(
      Leases leases,
      EventLog log,
      FleetEvents fleet,
      Transactions transactions,
      JobTraces traces,
      InstantSource clock,
      MeterRegistry metrics) {
    super("event-publisher", "background", IDLE, leases);
    this.log = log;
    this.fleet = fleet;
    this.transactions = transactions;
    this.traces = traces;
    this.clock = clock;
    this.metrics = metrics;
    this.delivery = metrics.timer(Metric.EVENT_DELIVERY.meter());
  }

  @Override
  protected boolean turn(HeldLease lease) {
    EventPosition from = position == null ? log.head() : position;
    List<EventRecord> events = log.after(from, BATCH);
    Instant now = clock.instant();
    for (EventRecord event : events) {
      if (original(event)) {
        metrics.counter(Metric.EVENTS.meter(), Metric.EVENTS.tags(event.fact().type())).increment();
      }
      delivery.record(Duration.between(event.at(), now));
    }
    position = events.isEmpty() ? from : events.getLast().position();
    traces.tell(events);
    release(lease, now);
    return events.size() == BATCH;
  }

  /** Returns whether the event is not a project's copy of a fleet event. */
  private static boolean original(EventRecord event) {
    return event.tenant().equals(FleetEvents.FLEET) || !EventFilter.FLEET.contains(event.subject());
  }

  private void release(HeldLease lease, Instant now) {
    if (released == null
        || Duration.between(released, now).abs().compareTo(BETWEEN_RELEASES) >= 0) {
      int _ = transactions.callFenced(lease, () -> fleet.release(MOST_RELEASED));
      released = now;
    }
  }

  @Override
  protected void forget() {
    position = null;
    released = null;
  }
}
