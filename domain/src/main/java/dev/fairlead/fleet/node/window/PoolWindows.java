package dev.fairlead.fleet.node.window;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The times at which the nodes of a pool accept work: while a window is open. A pool without
 * windows is always open.
 *
 * @param lead with {@link LeftoverPolicy#FINISH}, the time before closing in which only work starts
 *     that ends before it. Otherwise zero
 * @param leftoverPolicy action on the remaining work when they close
 * @param extension time that remaining work may continue with {@link LeftoverPolicy#EXTEND_UP_TO},
 *     else zero
 */
public record PoolWindows(
    List<RecurringWindow> windows,
    Duration lead,
    LeftoverPolicy leftoverPolicy,
    Duration extension) {
  /** Maximum number of windows of a pool. */
  public static final int MOST = 16;

  public static final PoolWindows NONE =
      new PoolWindows(List.of(), Duration.ZERO, LeftoverPolicy.EVICT, Duration.ZERO);

  /**
   * Search horizon of an opening: a year and the longest window. Windows that stay open for longer
   * never close.
   */
  private static final Duration FURTHEST = Duration.ofDays(366).plus(RecurringWindow.LONGEST);

  public PoolWindows {
    windows = List.copyOf(windows);
  }

  /** Returns whether the pool has no windows and is always open. */
  public boolean always() {
    return windows.isEmpty();
  }

  public boolean open(Instant now) {
    return always() || windows.stream().anyMatch(window -> window.openUntil(now) != null);
  }

  /** Returns when the current opening closes, at most {@code FURTHEST} later. */
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

  /** Returns whether the windows have no gap after {@code now}, within the search horizon. */
  public boolean neverCloses(Instant now) {
    Opening next = always() ? null : current(now);
    next = next == null ? after(now) : next;
    return next != null && !next.end().isBefore(next.start().plus(FURTHEST));
  }

  /**
   * Returns the opening at that time, beginning at that time. The result is null if all windows are
   * closed or none is defined.
   */
  public @Nullable Opening current(Instant now) {
    for (RecurringWindow window : windows) {
      if (window.openUntil(now) != null) {
        return new Opening(now, closes(now), window.zone());
      }
    }
    return null;
  }

  /**
   * Returns the first opening after that instant, at which all windows must be closed, null for
   * none.
   */
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

  /**
   * Returns the next opening while the windows are closed. The result is null if they are open or
   * never open again.
   */
  public @Nullable Opening next(Instant now) {
    return open(now) ? null : after(now);
  }

  /** Returns the next openings. The remainder of a current opening is included. */
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

  /** Returns whether a job may start in this opening, null for closed windows. */
  public boolean admit(
      @Nullable Opening now, Instant start, @Nullable Instant end, @Nullable Instant leaves) {
    return now != null
        && new Closing(now.end(), lead, leftoverPolicy, extension).admit(start, end, leaves);
  }

  /** Returns whether running work must leave: windows closed and its extension has expired. */
  public boolean stops(Instant now) {
    if (always() || leftoverPolicy == LeftoverPolicy.FINISH) {
      return false;
    }
    Instant closed = now.minus(extension);
    return !open(now) && !open(closed) && windows.stream().noneMatch(w -> opened(w, closed, now));
  }

  private static boolean opened(RecurringWindow window, Instant from, Instant now) {
    Instant start = window.opensAfter(from);
    return start != null && !start.isAfter(now);
  }

  /**
   * Returns the opening at the beginning of the last extension period, or the next opening after
   * it.
   */
  private @Nullable Opening recent(Instant now) {
    Opening then = current(now.minus(extension));
    return then == null ? after(now.minus(extension)) : then;
  }

  /**
   * Returns the next time when the windows change which work may start or must leave, null for
   * never.
   */
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
