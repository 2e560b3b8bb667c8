package dev.fairlead.work.log;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Position up to which the output of a member was read. Clusters return output from a whole second
 * on, in order of writing, so the number of lines since then is the position. A time would not
 * suffice, because lines share times and may be slightly out of order.
 *
 * @param second start of the next request, the latest of any line taken, null before the first line
 * @param first time of the first line since then, null when none was taken: it shows whether the
 *     cluster still has that line
 * @param taken lines taken since then
 * @param last latest time of a line taken
 */
public record LogPosition(
    @Nullable Instant second, @Nullable Instant first, long taken, @Nullable Instant last) {
  public static final LogPosition START = new LogPosition(null, null, 0, null);

  /** Returns the position after one more line with this time. */
  public LogPosition after(Instant at) {
    Instant of = at.truncatedTo(ChronoUnit.SECONDS);
    Instant latest = last == null || at.isAfter(last) ? at : last;
    if (second == null || of.isAfter(second)) {
      return new LogPosition(of, at, 1, latest);
    }
    return of.isBefore(second)
        ? new LogPosition(second, first, taken, latest)
        : new LogPosition(second, first == null ? at : first, taken + 1, latest);
  }

  /** Past all lines of that second. */
  public static LogPosition after(Instant second, @Nullable Instant last) {
    return new LogPosition(second.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1), null, 0, last);
  }
}
