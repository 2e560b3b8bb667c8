package dev.fairlead.relay.service;

import dev.fairlead.event.EventLog;
import dev.fairlead.event.EventPosition;
import dev.fairlead.event.EventRecord;
import dev.fairlead.event.WakeUps;
import dev.fairlead.loop.LeaseKeeper;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Loop;
import dev.fairlead.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Follows event rows in delivery order and counts them by type; one replica does so at a time. */
@Component
public class EventRelay implements Loop {
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final int BATCH = 1_000;
  private final LeaseKeeper keeper;
  private final EventLog log;
  private final MeterRegistry metrics;
  private final InstantSource clock;
  private final Timer delivery;
  private @Nullable EventPosition position;

  public EventRelay(Leases leases, EventLog log, InstantSource clock, MeterRegistry metrics) {
    this.keeper = leases.keeper("relay");
    this.log = log;
    this.clock = clock;
    this.metrics = metrics;
    this.delivery = metrics.timer(Metric.EVENT_DELIVERY.meter());
  }

  @Override
  public String name() {
    return "relay";
  }

  @Override
  public String role() {
    return "relay";
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
    if (keeper.tick().isEmpty()) {
      position = null;
      return false;
    }
    EventPosition from = position == null ? log.head() : position;
    List<EventRecord> events = log.after(from, BATCH);
    Instant now = clock.instant();
    for (EventRecord event : events) {
      metrics.counter(Metric.EVENTS.meter(), Metric.EVENTS.tags(event.fact().type())).increment();
      delivery.record(Duration.between(event.at(), now));
    }
    position = events.isEmpty() ? from : events.getLast().position();
    return events.size() == BATCH;
  }

  @Override
  public void close() {
    keeper.release();
  }
}
