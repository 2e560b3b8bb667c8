package dev.fairlead.fleet.node.window;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Times of the clock by five fields, as in crontab(5) of Vixie cron: minute, hour, day of month,
 * month, day of week. If neither day field begins with {@code *}, a day that matches either of them
 * matches, otherwise it must match both. Compared and stored in the given form.
 */
public final class Cron {
  /** After 28 years each date has the same day of the week again, between 1901 and 2099. */
  private static final int DAYS_OF_CALENDAR = 28 * 365 + 7;

  /** The days from 2000, see {@link #day}. A quota may have thousands of windows. */
  private static final int[] CALENDAR =
      IntStream.range(0, DAYS_OF_CALENDAR)
          .map(day -> day(LocalDate.of(2000, Month.JANUARY, 1).plusDays(day)))
          .toArray();

  private static final int BITS_OF_DAY = 5;
  private static final int BITS_OF_WEEKDAY = 3;

  /** 29 February recurs after eight years at most. */
  private static final int FURTHEST_DAYS = 9 * 366;

  private static final List<String> MONTHS =
      List.of(
          "", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
  private static final List<String> DAYS =
      List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN");

  private final String text;
  private final List<LocalTime> times;
  private final long daysOfMonth;
  private final long months;
  private final long daysOfWeek;
  private final boolean either;

  private Cron(String text, List<String> fields) {
    this.text = text;
    long minutes = field("minute", fields.get(0), 0, 59, List.of());
    long hours = field("hour", fields.get(1), 0, 23, List.of());
    daysOfMonth = field("day of month", fields.get(2), 1, 31, List.of());
    months = field("month", fields.get(3), 1, 12, MONTHS);
    long days = field("day of week", fields.get(4), 0, 7, DAYS);
    daysOfWeek = has(days, 7) ? days | 1 : days;
    either = !fields.get(2).startsWith("*") && !fields.get(4).startsWith("*");
    times = new ArrayList<>();
    for (int hour = 0; hour < 24; hour++) {
      for (int minute = 0; minute < 60; minute++) {
        if (has(hours, hour) && has(minutes, minute)) {
          times.add(LocalTime.of(hour, minute));
        }
      }
    }
  }

  /**
   * Parses a cron expression.
   *
   * @throws IllegalArgumentException with a message for its author if it is invalid or recurs too
   *     seldom
   */
  public static Cron parse(String text) {
    Cron cron = stored(text);
    int longest =
        cron.gaps()
            .max()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "never occurs: none of its months has this day of the month"));
    if (longest > FURTHEST_DAYS) {
      throw new IllegalArgumentException("occurs less than once in nine years");
    }
    return cron;
  }

  /**
   * Parses a stored expression without checking how often it recurs.
   *
   * @throws IllegalArgumentException if it is invalid
   */
  public static Cron stored(String text) {
    List<String> fields = List.of(text.strip().split("\\s+"));
    if (fields.size() != 5) {
      throw new IllegalArgumentException(
          "has %d fields, not five: minute, hour, day of month, month, day of week"
              .formatted(text.isBlank() ? 0 : fields.size()));
    }
    return new Cron(String.join(" ", fields), fields);
  }

  /** Returns the values of a field as bits. */
  private static long field(String name, String text, int least, int most, List<String> names) {
    long values = 0;
    for (String part : text.split(",", -1)) {
      String[] stepped = part.split("/", -1);
      String[] ends = stepped[0].split("-", -1);
      boolean all = stepped[0].equals("*");
      int first = all ? least : value(name, ends[0], least, most, names);
      int last = all ? most : value(name, ends[ends.length - 1], least, most, names);
      boolean range = all || ends.length == 2;
      if (stepped.length > 2 || ends.length > 2 || first > last || stepped.length == 2 && !range) {
        throw new IllegalArgumentException(
            "has '%s' as %s: give a number, a range such as %d-%d, or * or a range with a step such as */2"
                .formatted(part, name, least, most));
      }
      int step = stepped.length == 2 ? value(name, stepped[1], 1, most, List.of()) : 1;
      for (int value = first; value <= last; value += step) {
        values |= 1L << value;
      }
    }
    return values;
  }

  private static int value(String name, String text, int least, int most, List<String> names) {
    int named = text.isEmpty() ? -1 : names.indexOf(text.toUpperCase(Locale.ROOT));
    int value = named >= 0 ? named : text.matches("\\d{1,2}") ? Integer.parseInt(text) : -1;
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "has '%s' as %s, which goes from %d to %d".formatted(text, name, least, most));
    }
    return value;
  }

  private static boolean has(long values, int value) {
    return (values >>> value & 1) != 0;
  }

  /** The month, the day of the month and the day of the week of a date, as bits. */
  private static int day(LocalDate date) {
    int weekday = date.getDayOfWeek().getValue() % DayOfWeek.values().length;
    return (date.getMonthValue() << BITS_OF_DAY | date.getDayOfMonth()) << BITS_OF_WEEKDAY
        | weekday;
  }

  private boolean on(int day) {
    int dayOfMonth = day >>> BITS_OF_WEEKDAY & (1 << BITS_OF_DAY) - 1;
    boolean ofMonth = has(daysOfMonth, dayOfMonth);
    boolean ofWeek = has(daysOfWeek, day & (1 << BITS_OF_WEEKDAY) - 1);
    return has(months, day >>> BITS_OF_DAY + BITS_OF_WEEKDAY)
        && (either ? ofMonth || ofWeek : ofMonth && ofWeek);
  }

  /**
   * Returns the first matching time at or after that instant, null if none occurs in nine years.
   */
  @Nullable LocalDateTime from(LocalDateTime then) {
    LocalDate date = then.toLocalDate();
    LocalDate end = date.plusDays(FURTHEST_DAYS);
    LocalTime least = then.toLocalTime();
    while (date.isBefore(end)) {
      if (!has(months, date.getMonthValue())) {
        date = date.withDayOfMonth(1).plusMonths(1);
        least = LocalTime.MIN;
        continue;
      }
      if (on(day(date))) {
        for (LocalTime time : times) {
          if (!time.isBefore(least)) {
            return date.atTime(time);
          }
        }
      }
      date = date.plusDays(1);
      least = LocalTime.MIN;
    }
    return null;
  }

  /** Returns the minimum number of clock minutes between consecutive times. */
  long period() {
    long least = Long.MAX_VALUE;
    for (int i = 1; i < times.size(); i++) {
      least = Math.min(least, minutes(times.get(i)) - minutes(times.get(i - 1)));
    }
    long night = minutes(times.getFirst()) - minutes(times.getLast());
    return Math.min(least, gaps().min().orElse(DAYS_OF_CALENDAR) * 1440L + night);
  }

  /**
   * Returns the days between consecutive days, over all years. The result is empty if it never
   * occurs.
   */
  private IntStream gaps() {
    int[] days = IntStream.range(0, DAYS_OF_CALENDAR).filter(day -> on(CALENDAR[day])).toArray();
    return IntStream.range(0, days.length)
        .map(i ->
            i == 0 ? days[0] + DAYS_OF_CALENDAR - days[days.length - 1] : days[i] - days[i - 1]);
  }

  private static long minutes(LocalTime time) {
    return time.toSecondOfDay() / 60L;
  }

  public String text() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Cron cron && cron.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
