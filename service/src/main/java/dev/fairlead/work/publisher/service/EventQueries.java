package dev.fairlead.work.publisher.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventSlice;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.publisher.service.spi.EventTail;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads and follows the events of the caller's tenant. */
@Service
public class EventQueries {
  /**
   * Maximum number of streams of one process. Each stream has a connection and a page of events.
   */
  private static final int MOST_STREAMS = 2_000;

  /** A position before all events, for a position that this installation never issued. */
  private static final EventPosition NEVER = new EventPosition(0, 1);

  private static final int CATCHING_UP = 4;
  private static final int MOST_LOOKED_AT = 5_000;
  private static final int MOST_READS = 20;
  private final EventLog log;
  private final EventTail tail;
  private final TenantStore tenants;
  private final InventoryStore inventory;
  private final OpenHandles open = new OpenHandles(MOST_STREAMS, "streams open here");
  private final Semaphore catchingUp = new Semaphore(CATCHING_UP, true);

  public EventQueries(
      EventLog log,
      EventTail tail,
      TenantStore tenants,
      InventoryStore inventory,
      MeterRegistry metrics) {
    this.log = log;
    this.tail = tail;
    this.tenants = tenants;
    this.inventory = inventory;
    Gauge.builder(Metric.EVENT_STREAMS.meter(), tail, EventTail::readers).register(metrics);
  }

  /**
   * Returns the filter of the caller's events. A caller that may read incidents gets all events of
   * the fleet, unless it names a project.
   *
   * @param project name, null for all that the caller may read
   * @param place required details of events of the fleet, empty for all events. Nodes and clusters
   *     by id or name
   * @throws Refusal NOT_FOUND for an unknown project
   */
  public EventFilter filter(
      Actor actor,
      @Nullable String project,
      @Nullable JobId job,
      Set<String> types,
      SortedMap<String, String> place) {
    boolean fleet = project == null && Permissions.grant(actor, "listIncidents") != Grant.NO;
    return new EventFilter(
        actor.tenant(),
        project == null ? actor.projects() : List.of(tenants.project(actor, project).id()),
        job == null ? null : job.value(),
        new TreeSet<>(types),
        fleet,
        named(place));
  }

  /** Events have names of nodes and clusters. An unknown id matches no event. */
  private SortedMap<String, String> named(SortedMap<String, String> place) {
    SortedMap<String, String> named = new TreeMap<>(place);
    named.computeIfPresent(
        FleetFact.CLUSTER,
        (_, text) ->
            IdText.decode(IdKind.CLUSTER, text)
                .flatMap(id -> inventory.nameOf(new ClusterId(id)))
                .orElse(text));
    Optional.ofNullable(place.get(FleetFact.NODES))
        .flatMap(text -> IdText.decode(IdKind.NODE, text))
        .flatMap(id -> inventory.node(new NodeId(id)))
        .ifPresent(node -> {
          named.put(FleetFact.NODES, node.name());
          inventory
              .nameOf(node.cluster())
              .ifPresent(cluster -> named.putIfAbsent(FleetFact.CLUSTER, cluster));
        });
    return named;
  }

  /** The position after all stored events before the time. */
  public EventPosition since(Instant time) {
    EventPosition head = log.head(); // a head read later may already be after an event of that time
    EventPosition first = log.firstSince(time).orElse(null);
    if (first == null) {
      return head;
    }
    return log.oldest().filter(first::equals).isPresent()
        ? EventPosition.START
        : new EventPosition(first.transaction(), first.sequence() - 1);
  }

  /**
   * Returns the position.
   *
   * @throws Refusal POSITION_EXPIRED when events after it are no longer stored, and for a position
   *     that this installation never issued
   */
  public EventPosition kept(EventPosition after) {
    check(after, log.head());
    return after;
  }

  private void check(EventPosition after, EventPosition head) {
    EventReader.check(log, after.compareTo(head) > 0 ? NEVER : after);
  }

  /**
   * Reads at most {@code limit} events. Skips events outside the filter up to the first match.
   * After {@value #MOST_LOOKED_AT} times {@value #MOST_READS} events, the page is empty and has the
   * start of the next page.
   */
  public EventSlice page(EventFilter filter, EventPosition after, int limit) {
    EventSlice found = log.find(filter, after, limit, MOST_LOOKED_AT);
    EventPosition next = found.next();
    if (!found.events().isEmpty() || next == null || !catchingUp.tryAcquire()) {
      return found;
    }
    try {
      for (int reads = 1; reads < MOST_READS && found.events().isEmpty() && next != null; reads++) {
        found = log.find(filter, next, limit, MOST_LOOKED_AT);
        next = found.next();
      }
      return found;
    } finally {
      catchingUp.release();
    }
  }

  /**
   * Follows events from the position, or from now. The caller must close it.
   *
   * @param after null for now
   * @throws Refusal POSITION_EXPIRED when events after the position are no longer stored,
   *     RATE_LIMITED or UNAVAILABLE when this process accepts no more streams
   */
  public EventReader follow(Actor actor, EventFilter filter, @Nullable EventPosition after) {
    EventPosition head = log.head();
    if (after != null) {
      check(after, head);
    }
    OpenHandles.Handle held = open.enter(actor);
    if (!tail.enter()) {
      held.close();
      throw new Refusal(ProblemCode.UNAVAILABLE, "This process is shutting down. Connect again.");
    }
    return new EventReader(log, tail, catchingUp, held, filter, after == null ? head : after);
  }
}
