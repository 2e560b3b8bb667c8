package dev.fairlead.fleet.node.window;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The time when nodes close to work, and the treatment of work that still runs then.
 *
 * @param lead with {@link LeftoverPolicy#FINISH}, the time before closing in which only work starts
 *     that ends before it
 * @param extension time that remaining work may continue with {@link LeftoverPolicy#EXTEND_UP_TO},
 *     else zero
 */
public record Closing(
    Instant at, Duration lead, LeftoverPolicy leftoverPolicy, Duration extension) {
  /**
   * Returns whether a job may start while the nodes are open. It may if it ends before the close or
   * the end of the extension, if it can be stopped by that time, or if it may finish and the lead
   * has not begun.
   *
   * @param end latest end, null for unknown
   * @param leaves earliest time when it may be stopped, null for never
   */
  public boolean admit(Instant start, @Nullable Instant end, @Nullable Instant leaves) {
    Instant last = at.plus(extension);
    if (end != null && !end.isAfter(last)) {
      return true;
    }
    return leftoverPolicy == LeftoverPolicy.FINISH
        ? start.isBefore(at.minus(lead))
        : leaves != null && !leaves.isAfter(last);
  }
}
