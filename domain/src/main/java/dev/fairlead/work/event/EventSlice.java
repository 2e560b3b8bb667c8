package dev.fairlead.work.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requested events, in delivery order.
 *
 * @param next position to continue at, null if the newest event was reached
 */
public record EventSlice(List<EventRecord> events, @Nullable EventPosition next) {
  public EventSlice {
    events = List.copyOf(events);
  }
}
