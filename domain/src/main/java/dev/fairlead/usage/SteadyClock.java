package dev.fairlead.usage;

import java.time.Duration;

/**
 * Whether a clock goes as one that only counts does. A step forward is believed after ten minutes
 * in which the clock went on from there; until then the time may be wrong, as after a failover to a
 * machine whose clock is. Steps back are not judged.
 */
public final class SteadyClock {
  private static final long TOLERANCE_MILLIS = Duration.ofMinutes(1).toMillis();
  private static final long BELIEVED_AFTER_NANOS = Duration.ofMinutes(10).toNanos();
  private boolean started;
  private long offsetMillis;
  private boolean stepped;
  private long stepOffsetMillis;
  private long stepNanos;

  /**
   * The first time is believed.
   *
   * @param millis what the clock says
   * @param nanos of a clock that only counts, read at the same time
   */
  public boolean believes(long millis, long nanos) {
    long offset = millis - Duration.ofNanos(nanos).toMillis();
    if (!started || offset - offsetMillis <= TOLERANCE_MILLIS) {
      accept(offset);
      return true;
    }
    if (!stepped || Math.abs(offset - stepOffsetMillis) > TOLERANCE_MILLIS) {
      stepped = true;
      stepOffsetMillis = offset;
      stepNanos = nanos;
    }
    if (nanos - stepNanos < BELIEVED_AFTER_NANOS) {
      return false;
    }
    accept(offset);
    return true;
  }

  private void accept(long offset) {
    started = true;
    stepped = false;
    offsetMillis = offset;
  }
}
