package dev.fairlead.fleet.cluster;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The time span in which a cluster may be used, for example purchased capacity. A job must fit from
 * its start to the end of its maximum runtime. A job without one never ends, so it does not fit a
 * window that closes.
 *
 * @param from first instant, null = no start
 * @param until first instant after it, null = no end. After {@code from}
 */
public record Window(@Nullable Instant from, @Nullable Instant until) {
  public static final Window ALWAYS = new Window(null, null);

  public boolean always() {
    return from == null && until == null;
  }

  /** Returns whether a job may start in the window at this time. */
  public boolean open(Instant at) {
    return (from == null || !at.isBefore(from)) && (until == null || at.isBefore(until));
  }

  /**
   * Returns whether a job that starts at this time ends before the window closes.
   *
   * @param end latest end, null = never
   */
  public boolean holds(Instant start, @Nullable Instant end) {
    return open(start) && (until == null || end != null && !end.isAfter(until));
  }
}
