package dev.fairlead.fleet.node.window;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A recurring time span: it begins at each time of its cron expression and has a duration on the
 * clock of its zone. A clock time means the first instant at which the clock shows it or a later
 * time. A time that a clock change skips is therefore the first valid instant after it, and a time
 * that occurs twice counts once. Windows that are adjacent on the clock are adjacent on such days
 * too. A window that is completely in skipped time does not occur.
 *
 * @param duration whole minutes, at most {@link #LONGEST}
 */
public record RecurringWindow(Cron cron, Duration duration, ZoneId zone) {
  public static final Duration LONGEST = Duration.ofDays(31);

  /** Minimum number of minutes between two of its times. */
  private static final int LEAST_PERIOD = 60;

  /**
   * Validates and creates a window.
   *
   * @throws IllegalArgumentException with a message for its author, if it opens too often or again
   *     before it closes
   */
  public static RecurringWindow of(Cron cron, Duration duration, ZoneId zone) {
    long period = cron.period();
    if (period < LEAST_PERIOD) {
      throw new IllegalArgumentException(
          ("recurs after %d min, but a window opens at most once an hour. Set the minute, such as"
                  + " 0 22 * * *")
              .formatted(period));
    }
    if (duration.toMinutes() > period) {
      throw new IllegalArgumentException(
          "recurs after %d min, before its duration of %d min is over"
              .formatted(period, duration.toMinutes()));
    }
    return new RecurringWindow(cron, duration, zone);
  }

  /**
   * Returns the zone with an IANA name.
   *
   * @throws IllegalArgumentException with a message for its author
   */
  public static ZoneId zone(String name) {
    try {
      if (name.equals("UTC") || ZoneId.getAvailableZoneIds().contains(name)) {
        return ZoneId.of(name);
      }
    } catch (DateTimeException unknown) {
      throw new IllegalArgumentException(noZone(), unknown);
    }
    throw new IllegalArgumentException(noZone());
  }

  private static String noZone() {
    return "is not an IANA time zone";
  }

  /** Returns the first instant at which the clock shows the time or a later time. */
  private Instant at(LocalDateTime clock) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(clock);
    return offsets.isEmpty()
        ? Objects.requireNonNull(zone.getRules().getTransition(clock)).getInstant()
        : clock.toInstant(offsets.getFirst());
  }

  /** Returns when the current opening closes, null if the window is not open. */
  public @Nullable Instant openUntil(Instant now) {
    LocalDateTime clock = LocalDateTime.ofInstant(now, zone);
    LocalDateTime time = cron.from(clock.minus(duration));
    while (time != null && !at(time).isAfter(now)) {
      Instant end = at(time.plus(duration));
      if (now.isBefore(end)) {
        return end;
      }
      time = cron.from(time.plusMinutes(1));
    }
    return null;
  }

  /** Returns when it opens next, null if never. */
  public @Nullable Instant opensAfter(Instant now) {
    LocalDateTime time = cron.from(LocalDateTime.ofInstant(now, zone));
    while (time != null) {
      Instant start = at(time);
      if (start.isAfter(now) && start.isBefore(at(time.plus(duration)))) {
        return start;
      }
      time = cron.from(time.plusMinutes(1));
    }
    return null;
  }
}
