package dev.fairlead.fleet.node;

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
 * A time that comes again and again: from each time of its cron for so long on the clock of its
 * zone. A time of the clock is the first instant at which the clock shows it or a later one: one
 * that a change of the clock skips is the first valid instant after it, one that occurs twice
 * counts once. So windows that follow one another on the clock do so on such days as well; one that
 * lies in skipped time as a whole does not come then.
 *
 * @param duration whole minutes, at most {@link #LONGEST}
 */
public record RecurringWindow(Cron cron, Duration duration, ZoneId zone) {
  public static final Duration LONGEST = Duration.ofDays(31);

  /** Least minutes between two of its times. */
  private static final int LEAST_PERIOD = 60;

  /**
   * Checks and makes it.
   *
   * @throws IllegalArgumentException in words for its author, when it opens too often or again
   *     before it closes
   */
  public static RecurringWindow of(Cron cron, Duration duration, ZoneId zone) {
    long period = cron.period();
    if (period < LEAST_PERIOD) {
      throw new IllegalArgumentException(
          "comes again after %d min; a window opens once an hour at most. Name the minute, such as 0 22 * * *"
              .formatted(period));
    }
    if (duration.toMinutes() > period) {
      throw new IllegalArgumentException(
          "comes again after %d min, before its duration of %d min is over"
              .formatted(period, duration.toMinutes()));
    }
    return new RecurringWindow(cron, duration, zone);
  }

  /**
   * The zone of an IANA name.
   *
   * @throws IllegalArgumentException in words for its author
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
    return "is no time zone of the IANA database";
  }

  /** The first instant at which the clock shows the time or a later one. */
  private Instant at(LocalDateTime clock) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(clock);
    return offsets.isEmpty()
        ? Objects.requireNonNull(zone.getRules().getTransition(clock)).getInstant()
        : clock.toInstant(offsets.getFirst());
  }

  /** When it closes that is open then, null when it is not open. */
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

  /** When it opens next, null when it never does. */
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
