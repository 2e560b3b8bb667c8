package dev.fairlead.fleet.cluster;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a cluster may be used, as with capacity that is bought for a time. A job runs inside of it
 * from its start to the end of its longest runtime; one that gives none never ends, and so fits
 * into no window that closes.
 *
 * @param from first instant, null = since ever
 * @param until first instant after it, null = for ever; after {@code from}
 */
public record Window(@Nullable Instant from, @Nullable Instant until) {
  public static final Window ALWAYS = new Window(null, null);

  public boolean always() {
    return from == null && until == null;
  }

  /** Whether something may start in it at this time. */
  public boolean open(Instant at) {
    return (from == null || !at.isBefore(from)) && (until == null || at.isBefore(until));
  }

  /**
   * Whether what starts at this time ends before it closes.
   *
   * @param end latest end, null = never
   */
  public boolean holds(Instant start, @Nullable Instant end) {
    return open(start) && (until == null || end != null && !end.isAfter(until));
  }
}
