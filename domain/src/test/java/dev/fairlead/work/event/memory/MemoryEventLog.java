package dev.fairlead.work.event.memory;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.event.EventContext;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.EventSlice;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * In-memory implementation of {@link EventLog}. Events of the reader's own open transaction are not
 * complete and not delivered.
 */
public final class MemoryEventLog implements EventLog {
  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryTable<EventPosition, EventRecord> events;
  private EventPosition floor = EventPosition.START;

  public MemoryEventLog(MemoryDatabase database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.events = database.table();
  }

  /** The object of an event. */
  public record Subject(
      Id id,
      long version,
      TenantId tenant,
      @Nullable ProjectId project,
      @Nullable EventContext context) {
    /** The job of a transition, with the context that the persistence stores. */
    public static Subject of(
        Transition transition, String project, Function<ClusterId, @Nullable String> clusters) {
      Job job = transition.job();
      Attempt attempt = transition.attempt();
      SortedSet<String> nodes = transition.nodes();
      return new Subject(
          job.id(),
          job.version(),
          job.tenant(),
          job.project(),
          new EventContext(
              job.name(),
              job.user(),
              project,
              attempt == null ? null : clusters.apply(attempt.cluster()),
              EventContext.listed(nodes),
              nodes.size()));
    }
  }

  /** Stores the facts in the open transaction, in order. */
  public void append(List<Fact> facts, Subject subject, String actor) {
    for (Fact fact : facts) {
      put(
          fact,
          subject.id().kind(),
          subject.id().value(),
          subject.version(),
          actor,
          subject.tenant(),
          subject.project(),
          subject.context());
    }
  }

  /** Stores an event of the fleet in the open transaction. */
  void append(
      Fact fact,
      IdKind subject,
      UUID id,
      long version,
      String actor,
      TenantId tenant,
      @Nullable ProjectId project) {
    put(fact, subject, id, version, actor, tenant, project, null);
  }

  private void put(
      Fact fact,
      IdKind subject,
      UUID id,
      long version,
      String actor,
      TenantId tenant,
      @Nullable ProjectId project,
      @Nullable EventContext context) {
    long sequence = events.map().isEmpty() ? 0 : events.map().lastKey().sequence();
    EventPosition position = new EventPosition(database.transaction(), sequence + 1);
    events.put(
        position,
        new EventRecord(
            position,
            clock.instant(),
            fact,
            subject,
            id,
            version,
            actor,
            tenant,
            project,
            context));
  }

  /** All rows, including rows of the open transaction, newest first. */
  Stream<EventRecord> newest() {
    return events.map().descendingMap().values().stream();
  }

  @Override
  public List<EventRecord> after(EventPosition position, int limit) {
    return database.call(() -> complete(position).values().stream().limit(limit).toList());
  }

  @Override
  public EventSlice find(EventFilter filter, EventPosition after, int limit, int most) {
    List<EventRecord> looked = after(after, most);
    List<EventRecord> found = looked.stream().filter(filter).limit(limit).toList();
    if (found.size() == limit) {
      return new EventSlice(found, found.getLast().position());
    }
    return new EventSlice(found, looked.size() < most ? null : looked.getLast().position());
  }

  @Override
  public List<EventRecord> of(
      TenantId tenant, IdKind subject, UUID id, EventPosition after, int limit) {
    return database.call(() ->
        complete(after).values().stream()
            .filter(e ->
                e.subject() == subject && e.subjectId().equals(id) && e.tenant().equals(tenant))
            .limit(limit)
            .toList());
  }

  /** Drops events up to the position, like the removal of old days. */
  public void forget(EventPosition upTo) {
    database.run(() ->
        List.copyOf(events.map().headMap(upTo, true).keySet())
            .forEach(old -> {
              floor = old;
              events.remove(old);
            }));
  }

  @Override
  public EventPosition floor() {
    return floor;
  }

  @Override
  public Optional<EventPosition> oldest() {
    return database.call(
        () -> events.map().isEmpty() ? Optional.empty() : Optional.of(events.map().firstKey()));
  }

  @Override
  public Optional<EventPosition> firstSince(Instant time) {
    return database.call(() ->
        complete(EventPosition.START).values().stream()
            .filter(e -> !e.at().isBefore(time))
            .map(EventRecord::position)
            .findFirst());
  }

  @Override
  public EventPosition head() {
    return database.call(() -> {
      NavigableMap<EventPosition, EventRecord> complete = complete(EventPosition.START);
      return complete.isEmpty() ? EventPosition.START : complete.lastKey();
    });
  }

  private NavigableMap<EventPosition, EventRecord> complete(EventPosition after) {
    EventPosition open = new EventPosition(database.transaction(), 0);
    return after.compareTo(open) >= 0
        ? events.map().tailMap(after, false)
        : events.map().subMap(after, false, open, false);
  }
}
