package dev.fairlead.fleet.node.window;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Opening and closing times of pool windows. */
class PoolWindowsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static RecurringWindow window(String cron, String duration, String zone) {
    return RecurringWindow.of(
        Cron.parse(cron), Duration.parse(duration), RecurringWindow.zone(zone));
  }

  private static PoolWindows windows(RecurringWindow... all) {
    return new PoolWindows(List.of(all), Duration.ZERO, LeftoverPolicy.EVICT, Duration.ZERO);
  }

  private static Instant time(String text) {
    return Instant.parse(text);
  }

  /**
   * Days of both changes of the clock: Berlin and New York by an hour, Lord Howe by half an hour in
   * the south. Fails when a duration is counted in elapsed time.
   */
  @ParameterizedTest
  @CsvSource({
    "Europe/Berlin, 2026-03-28T12:00:00Z, 2026-03-28T21:00:00Z, 2026-03-29T04:00:00Z",
    "Europe/Berlin, 2026-10-24T12:00:00Z, 2026-10-24T20:00:00Z, 2026-10-25T05:00:00Z",
    "America/New_York, 2026-03-07T12:00:00Z, 2026-03-08T03:00:00Z, 2026-03-08T10:00:00Z",
    "America/New_York, 2026-10-31T12:00:00Z, 2026-11-01T02:00:00Z, 2026-11-01T11:00:00Z",
    "Australia/Lord_Howe, 2026-04-04T10:00:00Z, 2026-04-04T11:00:00Z, 2026-04-04T19:30:00Z",
    "Australia/Lord_Howe, 2026-10-03T10:00:00Z, 2026-10-03T11:30:00Z, 2026-10-03T19:00:00Z"
  })
  void nightWindowLastsFromTenToSixLocalTime(String zone, String now, String start, String end) {
    List<Opening> next = windows(window("0 22 * * *", "PT8H", zone)).next(time(now), 1);

    assertThat(next)
        .containsExactly(new Opening(time(start), time(end), RecurringWindow.zone(zone)));
  }

  /** Fails when a skipped time is omitted, or a repeated one opens twice. */
  @Test
  void skippedTimeIsTheFirstValidInstantAndARepeatedTimeCountsOnce() {
    PoolWindows early = windows(window("30 2 * * *", "PT2H", "Europe/Berlin"));

    assertThat(early.next(time("2026-03-28T12:00:00Z"), 1).getFirst().start())
        .isEqualTo(time("2026-03-29T01:00:00Z"));
    assertThat(early.next(time("2026-10-24T12:00:00Z"), 2))
        .extracting(Opening::start)
        .containsExactly(time("2026-10-25T00:30:00Z"), time("2026-10-26T01:30:00Z"));
  }

  /** Against a walk over every minute of ten days around each change of the clock. */
  @ParameterizedTest
  @CsvSource({
    "Europe/Berlin, 2026-03-25T00:00:00Z",
    "Europe/Berlin, 2026-10-21T00:00:00Z",
    "America/New_York, 2026-03-04T00:00:00Z",
    "America/New_York, 2026-10-28T00:00:00Z",
    "Australia/Lord_Howe, 2026-04-01T00:00:00Z",
    "Australia/Lord_Howe, 2026-09-30T00:00:00Z",
    "Asia/Kolkata, 2026-02-25T00:00:00Z"
  })
  void windowsAreOpenInTheMinutesOfTheirClock(String zone, String from) {
    Random random = new Random(from.hashCode() + zone.hashCode());
    for (int round = 0; round < 12; round++) {
      List<RecurringWindow> some = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(3); i++) {
        some.add(anyWindow(random, zone));
      }
      PoolWindows windows = windows(some.toArray(RecurringWindow[]::new));
      Set<Instant> open = openMinutes(some, ZoneId.of(zone), time(from));
      Instant last = time(from).plus(Duration.ofDays(8));
      for (Instant now = time(from).plus(Duration.ofDays(2));
          now.isBefore(last);
          now = now.plus(MINUTE)) {
        assertThat(windows.open(now)).as("%s at %s", some, now).isEqualTo(open.contains(now));
      }
      agrees(windows, open, time(from).plus(Duration.ofDays(2)), last);
    }
  }

  /** The next openings are the runs of open minutes. */
  private static void agrees(PoolWindows windows, Set<Instant> open, Instant from, Instant last) {
    List<Opening> next = windows.next(from, 1000);
    int i = 0;
    Instant start = null;
    for (Instant now = from; now.isBefore(last); now = now.plus(MINUTE)) {
      if (open.contains(now) && start == null) {
        start = now;
      } else if (!open.contains(now) && start != null) {
        assertThat(next.get(i).start()).isEqualTo(start);
        assertThat(next.get(i++).end()).isEqualTo(now);
        start = null;
      }
    }
  }

  private static RecurringWindow anyWindow(Random random, String zone) {
    String minute = random.nextBoolean() ? "30" : "0";
    String hour = random.nextInt(4) == 0 ? "*/6" : Integer.toString(random.nextInt(24));
    String days = new String[] {"* * *", "* * 1-5", "29 * SUN", "1-7 * *"}[random.nextInt(4)];
    int most = hour.equals("*/6") ? 6 * 60 : 24 * 60;
    return window(minute + " " + hour + " " + days, "PT" + (1 + random.nextInt(most)) + "M", zone);
  }

  /** Each minute that matches the cron opens its window, without a computed time. */
  private static Set<Instant> openMinutes(List<RecurringWindow> some, ZoneId zone, Instant from) {
    Set<Instant> open = new TreeSet<>();
    for (RecurringWindow window : some) {
      LocalDateTime begin = LocalDateTime.ofInstant(from, zone).minusDays(2);
      for (LocalDateTime at = begin; at.isBefore(begin.plusDays(14)); at = at.plusMinutes(1)) {
        if (at.equals(window.cron().from(at))) {
          LocalDateTime end = at.plus(window.duration());
          Instant now = at.atZone(zone).toInstant().minus(Duration.ofHours(3));
          while (LocalDateTime.ofInstant(now, zone).isBefore(at)) {
            now = now.plus(MINUTE);
          }
          while (LocalDateTime.ofInstant(now, zone).isBefore(end)) {
            open.add(now);
            now = now.plus(MINUTE);
          }
        }
      }
    }
    return open;
  }

  @ParameterizedTest
  @CsvSource({
    "0 8 * * 1, 2026-03-02T08:00",
    "0 8 13 * FRI, 2026-03-06T08:00",
    "0 8 */2 * MON, 2026-03-09T08:00",
    "15 7-9/2 * MAR-APR *, 2026-03-01T07:15",
    "0 0 29 2 *, 2028-02-29T00:00",
    "0 0 * * 7, 2026-03-01T00:00",
    "'5 4 10,20 jun mon', 2026-06-01T04:05"
  })
  void cronTimesMatchCrontab(String cron, String first) {
    assertThat(Cron.parse(cron).from(LocalDateTime.of(2026, 3, 1, 0, 0))).isEqualTo(first);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 22 * *|has 4 fields, not five: minute, hour, day of month, month, day of week",
        "0 24 * * *|has '24' as hour, which goes from 0 to 23",
        "0 5-3 * * *|has '5-3' as hour: give a number, a range such as 0-23, or * or a range with a"
            + " step such as */2",
        "0 3/2 * * *|has '3/2' as hour: give a number, a range such as 0-23, or * or a range with a"
            + " step such as */2",
        "0 0 * * MOON|has 'MOON' as day of week, which goes from 0 to 7",
        "0 0 */0 * *|has '0' as day of month, which goes from 1 to 31",
        "0 0 30 2 *|never occurs: none of its months has this day of the month",
        "0 0 29 2 */7|occurs less than once in nine years",
        "0 0 1, * *|has '' as day of month, which goes from 1 to 31"
      })
  void invalidCronIsRejectedWithAMessage(String cron, String why) {
    assertThatThrownBy(() -> Cron.parse(cron))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(why);
  }

  @Test
  void windowOpensAtMostHourlyAndNotAgainBeforeItCloses() {
    assertThatThrownBy(() -> window("* * * * *", "PT1M", "UTC"))
        .satisfies(problem("pool-windows.comes-again-after-min", 1));
    assertThatThrownBy(() -> window("0 22 * * *", "PT25H", "UTC"))
        .satisfies(problem("pool-windows.comes-again-after-min-2", 1440, 1500));
    assertThatThrownBy(() -> RecurringWindow.zone("Europe/Bonn"))
        .satisfies(problem("pool-windows.time-zone-iana-database", "IANA"));
  }

  @Test
  void adjacentWindowsAreOneOpening() {
    PoolWindows weekdays = windows(window("0 0 * * 1-5", "PT24H", "UTC"));
    Instant now = time("2026-03-01T00:00:00Z");

    assertThat(weekdays.next(now, 1).getFirst())
        .isEqualTo(
            new Opening(
                time("2026-03-02T00:00:00Z"), time("2026-03-07T00:00:00Z"), ZoneId.of("UTC")));
    assertThat(weekdays.neverCloses(now)).isFalse();
    assertThat(windows(window("0 0 * * *", "PT24H", "UTC")).neverCloses(now)).isTrue();
    assertThat(PoolWindows.NONE.open(now)).isTrue();
    assertThat(PoolWindows.NONE.next(now, 10)).isEmpty();
  }

  /** Fails when an opening is followed for some months only. */
  @ParameterizedTest
  @CsvSource({
    "'0 0 * 9-12,1-5 *', 2026-10-01T00:00:00Z, 2027-06-01T00:00:00Z",
    "0 0 * 1-11 *, 2026-01-01T00:00:00Z, 2026-12-01T00:00:00Z",
    "0 0 * 1-11 *, 2026-12-24T00:00:00Z, 2027-12-01T00:00:00Z"
  })
  void adjacentDaysOfASeasonAreOneOpening(String cron, String now, String end) {
    PoolWindows season = windows(window(cron, "PT24H", "UTC"));

    assertThat(season.neverCloses(time(now))).isFalse();
    assertThat(season.next(time(now), 1).getFirst().end()).isEqualTo(time(end));
  }

  /** From 29 February to 1 March. Fails when only the days of 2000 to 2003 are compared. */
  @Test
  void windowsAreComparedOverAllYears() {
    assertThatThrownBy(() -> window("0 0 */2 2,3 */2", "PT36H", "UTC"))
        .satisfies(problem("pool-windows.comes-again-after-min-3", 1440, 2160));
  }

  /** Jobs that may start near the close at 06:00, and jobs that have to leave after it. */
  @ParameterizedTest
  @CsvSource({
    "EVICT, 0, 0, 05:00, 06:00, , true",
    "EVICT, 0, 0, 05:00, 06:01, , false",
    "EVICT, 0, 0, 05:00, , 05:00, true",
    "EVICT, 0, 0, 05:00, , 06:01, false",
    "EVICT, 0, 0, 06:00, , 06:00, false",
    "EXTEND_UP_TO, 30, 0, 05:00, 06:30, , true",
    "EXTEND_UP_TO, 30, 0, 05:00, 06:31, , false",
    "EXTEND_UP_TO, 30, 0, 05:00, , 06:30, true",
    "FINISH, 0, 60, 04:59, , , true",
    "FINISH, 0, 60, 05:00, , 05:00, false",
    "FINISH, 0, 60, 05:00, 06:00, , true"
  })
  void onlyShortOrInterruptibleJobsStartBeforeTheClose(
      LeftoverPolicy leftoverPolicy,
      int extension,
      int lead,
      String start,
      @Nullable String end,
      @Nullable String leaves,
      boolean starts) {
    PoolWindows night = night(leftoverPolicy, extension, lead);

    boolean may =
        night.admit(
            night.current(at(start)),
            at(start),
            end == null ? null : at(end),
            leaves == null ? null : at(leaves));

    assertThat(may).isEqualTo(starts);
  }

  @Test
  void remainingJobsEndAtTheCloseOrAfterTheirExtension() {
    assertThat(night(LeftoverPolicy.EVICT, 0, 0).stops(at("05:59"))).isFalse();
    assertThat(night(LeftoverPolicy.EVICT, 0, 0).stops(at("06:00"))).isTrue();
    assertThat(night(LeftoverPolicy.EXTEND_UP_TO, 30, 0).stops(at("06:29"))).isFalse();
    assertThat(night(LeftoverPolicy.EXTEND_UP_TO, 30, 0).stops(at("06:30"))).isTrue();
    assertThat(night(LeftoverPolicy.FINISH, 0, 0).stops(at("12:00"))).isFalse();
    assertThat(night(LeftoverPolicy.EXTEND_UP_TO, 30, 0).nextChange(at("06:10")))
        .isEqualTo(at("06:30"));
    assertThat(night(LeftoverPolicy.FINISH, 0, 60).nextChange(at("01:00"))).isEqualTo(at("05:00"));
  }

  private static PoolWindows night(LeftoverPolicy leftoverPolicy, int extension, int lead) {
    return new PoolWindows(
        List.of(window("0 22 * * *", "PT8H", "UTC")),
        Duration.ofMinutes(lead),
        leftoverPolicy,
        Duration.ofMinutes(extension));
  }

  private static Instant at(String clock) {
    return time("2026-03-02T" + clock + ":00Z");
  }
}
