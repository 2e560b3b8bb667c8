package dev.fairlead.fleet.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When the nodes of a pool take work: while one of the windows is open. Without windows always.
 *
 * @param lead with {@link Overrun#FINISH}, how long before they close only work starts that has
 *     ended by then; else zero
 * @param overrun what becomes of the rest when they close
 * @param extension how long the rest may run on with {@link Overrun#EXTEND_UP_TO}, else zero
 */
public record PoolWindows(
    List<RecurringWindow> windows, Duration lead, Overrun overrun, Duration extension) {
  /** Most windows of a pool. */
  public static final int MOST = 16;

  public static final PoolWindows NONE =
      new PoolWindows(List.of(), Duration.ZERO, Overrun.EVICT, Duration.ZERO);

  /**
   * How far an opening is followed: a year and the longest window. Those that stay open for longer
   * never close.
   */
  private static final Duration FURTHEST = Duration.ofDays(366).plus(RecurringWindow.LONGEST);

  public PoolWindows {
    windows = List.copyOf(windows);
  }

  /** Whether it is always open, without a window. */
  public boolean always() {
    return windows.isEmpty();
  }

  public boolean open(Instant now) {
    return always() || windows.stream().anyMatch(window -> window.openUntil(now) != null);
  }

  /** When what is open then closes; at most {@code FURTHEST} later. */
  private Instant closes(Instant start) {
    Instant end = start;
    Instant before;
    do {
      before = end;
      for (RecurringWindow window : windows) {
        Instant until = window.openUntil(end);
        end = until != null && until.isAfter(end) ? until : end;
      }
    } while (end.isAfter(before) && end.isBefore(start.plus(FURTHEST)));
    return end;
  }

  /** Whether no gap is between its windows from then on, as far as it is followed. */
  public boolean neverCloses(Instant now) {
    Opening next = always() ? null : current(now);
    next = next == null ? after(now) : next;
    return next != null && !next.end().isBefore(next.start().plus(FURTHEST));
  }

  /** What is open then, from then on; null when nothing is, or when there are no windows. */
  public @Nullable Opening current(Instant now) {
    for (RecurringWindow window : windows) {
      if (window.openUntil(now) != null) {
        return new Opening(now, closes(now), window.zone());
      }
    }
    return null;
  }

  /** The first that begins after that instant, at which they should be closed; null for none. */
  private @Nullable Opening after(Instant now) {
    Instant first = null;
    RecurringWindow opens = null;
    for (RecurringWindow window : windows) {
      Instant start = window.opensAfter(now);
      if (start != null && (first == null || start.isBefore(first))) {
        first = start;
        opens = window;
      }
    }
    return first == null || opens == null ? null : new Opening(first, closes(first), opens.zone());
  }

  /** The next opening while they are closed; null when they are open, or never open again. */
  public @Nullable Opening next(Instant now) {
    return open(now) ? null : after(now);
  }

  /** The next ones, an opening of now with the rest of it. */
  public List<Opening> next(Instant now, int most) {
    List<Opening> openings = new ArrayList<>();
    Opening next = current(now);
    next = next == null && !always() ? after(now) : next;
    while (next != null && openings.size() < most) {
      openings.add(next);
      next = after(next.end());
    }
    return openings;
  }

  /**
   * Whether a job may start: it has ended by the close, or by the end of the extension; or it may
   * be stopped by then; or it may finish, and the lead has not begun.
   *
   * @param end when it has ended at the latest, null for unknown
   * @param leaves when it may be stopped at the earliest, null for never
   */
  public boolean admit(Instant start, @Nullable Instant end, @Nullable Instant leaves) {
    return always() || admit(current(start), start, end, leaves);
  }

  /** As above, in what is open then; null for closed windows. */
  public boolean admit(
      @Nullable Opening now, Instant start, @Nullable Instant end, @Nullable Instant leaves) {
    return now != null
        && new Closing(now.end(), lead, overrun, extension).admit(start, end, leaves);
  }

  /** Whether work that is there has to leave: they are closed, and its extension is over. */
  public boolean stops(Instant now) {
    if (always() || overrun == Overrun.FINISH) {
      return false;
    }
    Instant closed = now.minus(extension);
    return !open(now) && !open(closed) && windows.stream().noneMatch(w -> opened(w, closed, now));
  }

  private static boolean opened(RecurringWindow window, Instant from, Instant now) {
    Instant start = window.opensAfter(from);
    return start != null && !start.isAfter(now);
  }

  /** What is open, or opens first, in the time of the extension before now. */
  private @Nullable Opening recent(Instant now) {
    Opening then = current(now.minus(extension));
    return then == null ? after(now.minus(extension)) : then;
  }

  /** When time alone changes next what may start or has to leave; null for never. */
  public @Nullable Instant nextChange(Instant now) {
    Opening open = always() ? null : current(now);
    Opening next = open == null ? after(now) : null;
    Opening late = extension.isZero() || always() || open != null ? null : recent(now);
    return Stream.of(
            open == null ? null : open.end().minus(lead),
            open == null ? null : open.end(),
            next == null ? null : next.start(),
            late == null ? null : late.end().plus(extension))
        .filter(time -> time != null && time.isAfter(now))
        .min(Instant::compareTo)
        .orElse(null);
  }
}
