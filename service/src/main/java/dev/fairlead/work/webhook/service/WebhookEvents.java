package dev.fairlead.work.webhook.service;

import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.publisher.service.spi.EventTail;
import dev.fairlead.work.publisher.service.spi.TailedEvent;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Reads the events of webhooks: the newest events once for all webhooks, older events for parts of
 * the log that webhooks which lag share, a limited number of reads in a pass.
 */
final class WebhookEvents {
  /** Objects that one round retries. */
  static final int RETRIES = 8;

  private static final int PAGE = 100;

  /** Events that one read examines for a webhook: more than a pass adds. */
  private static final int MOST_LOOKED_AT = 2_000;

  private static final int READS = 8;
  private static final int PARTS = 4;
  private static final int PAGE_OF_OBJECT = 500;

  private final EventLog log;
  private EventTail tail;
  private EventPosition floor = EventPosition.START;

  /** The parts that were read last, the newest first. */
  private final Deque<Part> parts = new ArrayDeque<>();

  private int reads;

  WebhookEvents(EventLog log) {
    this.log = log;
    this.tail = new EventTail(log);
  }

  /** Begins a turn. Returns true when the log has more events than one read takes. */
  boolean tick() {
    if (tail.readers() == 0 && tail.enter()) {
      boolean _ = tail.tick(); // chooses where it begins
    }
    reads = 0;
    return tail.tick();
  }

  /** Reads which events were removed. */
  void look() {
    floor = log.floor();
  }

  void forget() {
    tail = new EventTail(log);
    parts.clear();
  }

  /** Returns whether events after the position were removed. */
  boolean lost(EventPosition position) {
    return floor.compareTo(position) > 0;
  }

  /**
   * Events that a webhook has not seen.
   *
   * @param through position after them, and after others that its filter excludes
   * @param skipped whether nothing was read, because other webhooks used all reads of the pass
   */
  record Fresh(List<TailedEvent> events, EventPosition through, boolean skipped) {}

  Fresh fresh(WebhookState state, EventFilter filter) {
    EventPosition position = state.position();
    Optional<List<TailedEvent>> recent = tail.after(position, MOST_LOOKED_AT);
    if (recent.isPresent()) {
      return matching(recent.get(), position, filter);
    }
    Optional<Part> known = parts.stream().filter(each -> each.covers(position)).findFirst();
    if (known.isEmpty() && reads++ >= READS) {
      return new Fresh(List.of(), position, true);
    }
    return matching(known.orElseGet(() -> read(position)).after(position), position, filter);
  }

  /**
   * A part of the log without gaps, in order. Webhooks that lag together share it: after a pause, a
   * read for each of 1,000 webhooks takes longer than their next events.
   *
   * @param from position before its first event
   */
  private record Part(EventPosition from, List<TailedEvent> events) {
    boolean covers(EventPosition position) {
      return from.compareTo(position) <= 0 && events.getLast().isAfter(position);
    }

    List<TailedEvent> after(EventPosition position) {
      return events.stream().dropWhile(each -> !each.isAfter(position)).toList();
    }
  }

  private Part read(EventPosition position) {
    Part part =
        new Part(
            position, log.after(position, MOST_LOOKED_AT).stream().map(TailedEvent::new).toList());
    if (!part.events().isEmpty()) {
      parts.addFirst(part);
    }
    if (parts.size() > PARTS) {
      Part _ = parts.removeLast();
    }
    return part;
  }

  /** The first events that match the filter, at most a page. */
  private static Fresh matching(
      List<TailedEvent> recent, EventPosition position, EventFilter filter) {
    List<TailedEvent> events = new ArrayList<>();
    EventPosition through = position;
    for (TailedEvent each : recent) {
      if (events.size() == PAGE) {
        break;
      }
      through = each.event().position();
      if (filter.test(each.event())) {
        events.add(each);
      }
    }
    return new Fresh(events, through, false);
  }

  /** The events of the object that waits, from the failed one, up to the webhook's position. */
  WebhookRounds.Retry behind(WebhookDelivery due, WebhookState state, EventFilter filter) {
    List<EventRecord> events = new ArrayList<>();
    EventPosition after = due.before();
    boolean more = true;
    while (more && events.size() <= WebhookRounds.MOST_OF_OBJECT) {
      List<EventRecord> page =
          log.of(state.tenant(), due.subject().kind(), due.subject().id(), after, PAGE_OF_OBJECT);
      for (EventRecord event : page) {
        if (event.position().compareTo(state.position()) <= 0
            && (event.position().equals(due.position()) || filter.test(event))) {
          events.add(event);
        }
      }
      more =
          page.size() == PAGE_OF_OBJECT
              && page.getLast().position().compareTo(state.position()) < 0;
      after = page.isEmpty() ? after : page.getLast().position();
    }
    return new WebhookRounds.Retry(due, events);
  }
}
