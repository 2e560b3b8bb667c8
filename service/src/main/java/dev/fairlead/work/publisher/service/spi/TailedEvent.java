package dev.fairlead.work.publisher.service.spi;

import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An event shared by many readers and serialised once. */
public final class TailedEvent {
  private final EventRecord event;
  private volatile byte @Nullable [] written;

  public TailedEvent(EventRecord event) {
    this.event = event;
  }

  public EventRecord event() {
    return event;
  }

  public boolean isAfter(EventPosition position) {
    return event.position().compareTo(position) > 0;
  }

  /** Returns the result of the function, which must be the same for all readers. */
  public byte[] written(Function<EventRecord, byte[]> how) {
    byte[] known = written;
    if (known == null) {
      known = how.apply(event);
      written = known;
    }
    return known;
  }
}
