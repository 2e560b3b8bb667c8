package dev.fairlead.work.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that were asked for, in delivery order.
 *
 * @param next where to go on; null when the newest event was reached
 */
public record EventSlice(List<EventRecord> events, @Nullable EventPosition next) {
  public EventSlice {
    events = List.copyOf(events);
  }
}
