package dev.fairlead.fleet.node;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When nodes close to work, and what becomes of what still runs there then.
 *
 * @param lead with {@link Overrun#FINISH}, how long before only work starts that has ended by then
 * @param extension how long what is left may run on with {@link Overrun#EXTEND_UP_TO}, else zero
 */
public record Closing(Instant at, Duration lead, Overrun overrun, Duration extension) {
  /**
   * Whether a job may start while they are open: it has ended by the close, or by the end of the
   * extension; or it may be stopped by then; or it may finish, and the lead has not begun.
   *
   * @param end when it has ended at the latest, null for unknown
   * @param leaves when it may be stopped at the earliest, null for never
   */
  public boolean admit(Instant start, @Nullable Instant end, @Nullable Instant leaves) {
    Instant last = at.plus(extension);
    if (end != null && !end.isAfter(last)) {
      return true;
    }
    return overrun == Overrun.FINISH
        ? start.isBefore(at.minus(lead))
        : leaves != null && !leaves.isAfter(last);
  }
}
