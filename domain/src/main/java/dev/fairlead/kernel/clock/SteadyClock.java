package dev.fairlead.kernel.clock;

import java.time.Duration;

/**
 * Decides whether the clock of the database can be trusted. A step forward is refused unless a
 * clock that does not depend on the database confirms it:
 *
 * <ul>
 *   <li>the monotonic clock of this process since a believed time;
 *   <li>the watermark that the last holder stored, when it is at most {@link #TOLERANCE} old;
 *   <li>the clock of this process's own machine. A step that this process saw itself needs ten more
 *       minutes without another step.
 * </ul>
 *
 * A step back is accepted, because it closes no hour and removes no row too early.
 *
 * <p>For one thread.
 */
public final class SteadyClock {
  /**
   * Maximum difference between two clocks that agree. {@code fairlead_latest} in SQL has the same.
   */
  public static final Duration TOLERANCE = Duration.ofMinutes(2);

  private static final long TOLERANCE_MILLIS = TOLERANCE.toMillis();
  private static final long BELIEVED_AFTER_NANOS = Duration.ofMinutes(10).toNanos();
  private boolean started;
  private long offsetMillis;
  private boolean stepped;
  private long stepOffsetMillis;
  private long stepNanos;

  /**
   * Judges one reading.
   *
   * @param database reading of the database clock
   * @param hostMillis clock of this process's machine, in milliseconds since 1970
   * @param nanos monotonic clock of this process. All three are read at the same time
   */
  public boolean believes(ClockStore.Reading database, long hostMillis, long nanos) {
    long millis = database.nowMillis();
    long offset = millis - Duration.ofNanos(nanos).toMillis();
    if (started && offset - offsetMillis <= TOLERANCE_MILLIS
        || millis - database.lookMillis() <= TOLERANCE_MILLIS) {
      return accept(offset);
    }
    boolean confirmed = millis - hostMillis <= TOLERANCE_MILLIS;
    if (!started) {
      return confirmed && accept(offset);
    }
    if (!stepped || Math.abs(offset - stepOffsetMillis) > TOLERANCE_MILLIS) {
      stepped = true;
      stepOffsetMillis = offset;
      stepNanos = nanos;
    }
    return confirmed && nanos - stepNanos >= BELIEVED_AFTER_NANOS && accept(offset);
  }

  private boolean accept(long offset) {
    started = true;
    stepped = false;
    offsetMillis = offset;
    return true;
  }
}
